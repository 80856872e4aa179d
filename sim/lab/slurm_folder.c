#include "sim/lab/slurm_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"

static bool is_new(const char *folder);
static char *join(const char *folder, const char *name);
static bool fail(const char *file);
static int is_other(const struct dirent *);
static int is_store(const struct dirent *);

bool
slurm_folder_ours(
    const char *folder, const char *sweep, const char *db, bool *exists)
{
	char line[200] = "", *path;
	FILE *fp;
	bool ours;

	*exists = access(folder, F_OK) == 0;
	if (!*exists)
		return true;
	path = join(folder, "manifest");
	fp = fopen(path, "re");
	sim_free(path);
	if (fp == NULL)
		return is_new(folder);
	if (fgets(line, sizeof(line), fp) == NULL)
		line[0] = '\0';
	fclose(fp);
	line[strcspn(line, "\n")] = '\0';
	ours = strncmp(line, SLURM_MANIFEST, strlen(SLURM_MANIFEST)) == 0 &&
	       strcmp(line + strlen(SLURM_MANIFEST), sweep) == 0;
	if (!ours)
		fprintf(stderr,
		    "solab: %s is of another sweep, or of another version of "
		    "the model;\nsee its manifest. `solab merge` puts its "
		    "task-*.db into %s; then it can go.\n",
		    folder, db);
	return ours;
}

/* Somebody may have been stopped before the manifest was there. */
static bool
is_new(const char *folder)
{
	struct dirent **found;
	int n = scandir(folder, &found, is_other, alphasort);

	if (n < 0)
		return fail(folder);
	for (int i = 0; i < n; i++)
		free(found[i]);
	free(found);
	if (n > 0)
		fprintf(stderr,
		    "solab: %s: has no manifest: not the folder of a sweep\n",
		    folder);
	return n == 0;
}

static int
is_other(const struct dirent *de)
{
	return strcmp(de->d_name, ".") != 0 && strcmp(de->d_name, "..") != 0 &&
	       strcmp(de->d_name, "lock") != 0 &&
	       strcmp(de->d_name, "manifest.new") != 0;
}

int
slurm_folder_lock(const char *folder)
{
	char *path;
	int fd;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		fail(folder);
		return -1;
	}
	path = join(folder, "lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		fail(path);
	} else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			fprintf(stderr,
			    "solab: %s: another solab is submitting this "
			    "sweep\n",
			    folder);
		else
			fail(path);
		close(fd);
		fd = -1;
	}
	sim_free(path);
	return fd;
}

bool
slurm_folder_write(const char *folder, const char *name, const char *text)
{
	char *path = join(folder, name), *new;
	size_t size = strlen(path) + 5;
	FILE *fp;
	bool ok;

	new = sim_calloc(size, 1);
	snprintf(new, size, "%s.new", path);
	fp = fopen(new, "we");
	ok = fp != NULL;
	if (ok)
		ok = fputs(text, fp) >= 0;
	if (fp != NULL && fclose(fp) != 0)
		ok = false;
	ok = ok && rename(new, path) == 0;
	if (!ok)
		fail(path);
	sim_free(new);
	sim_free(path);
	return ok;
}

int
slurm_folder_stores(const char *folder, char ***paths)
{
	struct dirent **found;
	int n = scandir(folder, &found, is_store, versionsort);

	*paths = NULL;
	if (n < 0) {
		fail(folder);
		return -1;
	}
	*paths = sim_calloc((size_t)n + 1, sizeof(**paths));
	for (int i = 0; i < n; i++) {
		(*paths)[i] = join(folder, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	return n;
}

static int
is_store(const struct dirent *de)
{
	size_t n = strlen(de->d_name);

	return n > 8 && strncmp(de->d_name, "task-", 5) == 0 &&
	       strcmp(de->d_name + n - 3, ".db") == 0;
}

static char *
join(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = sim_calloc(size, 1);

	snprintf(path, size, "%s/%s", folder, name);
	return path;
}

static bool
fail(const char *file)
{
	fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
	return false;
}
