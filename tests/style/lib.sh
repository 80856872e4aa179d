# Sourced by the style checks, which run from the root of the tree.

# files PATTERN...: the tree's files, committed or about to be.
files()
{
	if [ -n "$(git ls-files -- do 2>/dev/null)" ]; then
		git ls-files -co --exclude-standard -- "$@"
	else
		for pattern; do
			find . -path './build*' -prune -o -path ./.git -prune -o \
			    -type f -path "./${pattern#./}" -print
		done | sed 's,^\./,,'
	fi | sort -u | while IFS= read -r file; do
		# A file deleted but not yet from the index is not there.
		[ ! -f "$file" ] || printf '%s\n' "$file"
	done
}

# complain RULE: print the lines of stdin under the rule that they break.
complain()
{
	lines=$(cat)
	if [ -n "$lines" ]; then
		printf '%s:\n%s\n' "$1" "$lines"
		bad=1
	fi
}
bad=0
