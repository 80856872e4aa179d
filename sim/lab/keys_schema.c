/*
 * JSON Schema of a scenario, for editors. What may come from an extended file
 * or sibling cannot be required of this one, so nothing is.
 */
#include <string.h>

#include "sim/lab/kernels.h"

#define PREFIX_MAX 160

static void object(FILE *, const char *prefix, int indent);
static void member(FILE *, const struct key *, const char *prefix,
    const char *name, bool leaf, int indent);
static void leaf_schema(FILE *, const struct key *, int indent);
static void enum_schema(FILE *, const struct key *);
static void words_schema(FILE *, const struct key *);
static void description(FILE *, const struct key *);
static void quantity_schema(FILE *, const struct key *);
static void unit_pattern(FILE *, enum unit_kind, bool word);
static void unit_alternatives(FILE *, enum unit_kind);
static void cell_schema(FILE *, const struct key_metric *);
static void rest_of_top(FILE *);
static void json_string(FILE *, const char *);
static void pad(FILE *, int indent);

void
keys_schema(FILE *fp)
{
	fputs("{\n"
	      "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
	      "\n"
	      "  \"title\": \"solab scenario\",\n",
	    fp);
	object(fp, "", 2);
	fputs("\n}\n", fp);
}

/* The members of an object, without its braces. */
static void
object(FILE *fp, const char *prefix, int indent)
{
	size_t len = strlen(prefix), n;
	char last[PREFIX_MAX] = "", name[PREFIX_MAX];
	bool whole = len >= 8 && strcmp(prefix + len - 8, ".sysctl.") == 0;
	bool entity = len >= 3 && strcmp(prefix + len - 3, ".*.") == 0;
	const char *sep = "";

	pad(fp, indent);
	fputs("\"type\": \"object\",\n", fp);
	pad(fp, indent);
	fputs("\"additionalProperties\": false,\n", fp);
	pad(fp, indent);
	fputs("\"properties\": {\n", fp);
	for (size_t i = 0; i < keys_n; i++) {
		const char *rest = keys[i].k_path + len;

		if (strncmp(keys[i].k_path, prefix, len) != 0)
			continue;
		n = whole ? strlen(rest) : strcspn(rest, ".");
		snprintf(name, sizeof(name), "%.*s", (int)n, rest);
		if (strcmp(name, last) == 0)
			continue;
		fputs(sep, fp);
		sep = ",\n";
		member(fp, &keys[i], prefix, name, rest[n] == '\0', indent + 2);
		snprintf(last, sizeof(last), "%s", name);
	}
	if (entity) {
		fputs(",\n", fp);
		pad(fp, indent + 2);
		fputs("\"extends\": {\"type\": \"string\", \"description\": "
		      "\"a sibling: this map is laid on it\"}",
		    fp);
	}
	if (len == 0)
		rest_of_top(fp);
	fputs("\n", fp);
	pad(fp, indent);
	fputs("}", fp);
}

static void
member(FILE *fp, const struct key *k, const char *prefix, const char *name,
    bool leaf, int indent)
{
	const char *rest = k->k_path + strlen(prefix) + strlen(name);
	bool names = strncmp(rest, ".*.", 3) == 0;
	bool hardware = strcmp(name, "hardware") == 0;
	char child[2 * PREFIX_MAX + 4];

	pad(fp, indent);
	json_string(fp, name);
	fputs(": {\n", fp);
	if (leaf) {
		leaf_schema(fp, k, indent + 2);
	} else if (names) {
		snprintf(child, sizeof(child), "%s%s.*.", prefix, name);
		pad(fp, indent + 2);
		fputs("\"type\": \"object\",\n", fp);
		pad(fp, indent + 2);
		fputs("\"propertyNames\": {\"pattern\": "
		      "\"^[A-Za-z][A-Za-z0-9_-]*$\"},\n",
		    fp);
		pad(fp, indent + 2);
		fputs("\"additionalProperties\": {\n", fp);
		object(fp, child, indent + 4);
		fputs("\n", fp);
		pad(fp, indent + 2);
		fputs("}", fp);
	} else {
		snprintf(child, sizeof(child), "%s%s.", prefix, name);
		if (hardware) {
			pad(fp, indent + 2);
			fputs("\"oneOf\": [{\"type\": \"string\"}, {\n", fp);
		}
		object(fp, child, indent + (hardware ? 4 : 2));
		if (hardware) {
			fputs("\n", fp);
			pad(fp, indent + 2);
			fputs("}]", fp);
		}
	}
	fputs("\n", fp);
	pad(fp, indent);
	fputs("}", fp);
}

static void
leaf_schema(FILE *fp, const struct key *k, int indent)
{
	pad(fp, indent);
	switch (k->k_type) {
	case KEY_TEXT:
	case KEY_PROFILE:
		fputs("\"type\": \"string\"", fp);
		break;
	case KEY_LINK:
		fputs("\"type\": \"string\", \"pattern\": "
		      "\"^[A-Za-z][A-Za-z0-9_-]*[.][A-Za-z][A-Za-z0-9_-]*"
		      "[0-9]$\"",
		    fp);
		break;
	case KEY_CHOICE:
		enum_schema(fp, k);
		break;
	case KEY_BOOL:
		fputs("\"type\": \"boolean\"", fp);
		break;
	case KEY_NUMBER:
		if (k->k_choices != NULL) {
			words_schema(fp, k);
			break;
		}
		__attribute__((fallthrough));
	case KEY_REAL:
		fprintf(fp,
		    "\"type\": \"%s\", \"minimum\": %lld, \"maximum\": %lld",
		    k->k_type == KEY_NUMBER ? "integer" : "number",
		    (long long)k->k_min, (long long)k->k_max);
		break;
	case KEY_QUANTITY:
		quantity_schema(fp, k);
		break;
	}
	fputs(",\n", fp);
	if (k->k_default != NULL && k->k_default[0] != '\0') {
		pad(fp, indent);
		fputs("\"default\": ", fp);
		if (key_text_is_bare(k, k->k_default))
			fputs(k->k_default, fp);
		else
			json_string(fp, k->k_default);
		fputs(",\n", fp);
	}
	pad(fp, indent);
	fputs("\"description\": ", fp);
	description(fp, k);
}

static void
enum_schema(FILE *fp, const struct key *k)
{
	fputs("\"enum\": [", fp);
	for (const struct key_choice *kc = k->k_choices; kc->kc_name != NULL;
	     kc++) {
		fputs(kc == k->k_choices ? "" : ", ", fp);
		/* 82599 is a number to an editor. */
		if (strspn(kc->kc_name, "0123456789") == strlen(kc->kc_name))
			fprintf(fp, "%s, ", kc->kc_name);
		json_string(fp, kc->kc_name);
	}
	fputs("]", fp);
}

/* A number, or one of the words. */
static void
words_schema(FILE *fp, const struct key *k)
{
	fprintf(fp,
	    "\"oneOf\": [{\"type\": \"integer\", \"minimum\": %lld, "
	    "\"maximum\": %lld}, {",
	    (long long)k->k_min, (long long)k->k_max);
	enum_schema(fp, k);
	fputs("}]", fp);
}

/* With the kernels that have another default, or lack it. */
static void
description(FILE *fp, const struct key *k)
{
	char differences[200], help[500];

	kernel_differences(k, differences, sizeof(differences));
	snprintf(help, sizeof(help), "%s%s%s%s", k->k_help,
	    differences[0] != '\0' ? " (default of " : "", differences,
	    differences[0] != '\0' ? ")" : "");
	json_string(fp, help);
}

static void
quantity_schema(FILE *fp, const struct key *k)
{
	fputs("\"type\": \"string\", ", fp);
	unit_pattern(fp, k->k_unit, k->k_auto);
}

/* `word`: "auto" will do too. */
static void
unit_pattern(FILE *fp, enum unit_kind unit, bool word)
{
	fprintf(fp, "\"pattern\": \"^%s[0-9]+([.][0-9]+)? ?(",
	    word ? "auto$|^" : "");
	unit_alternatives(fp, unit);
	fputs(")$\"", fp);
}

static void
unit_alternatives(FILE *fp, enum unit_kind unit)
{
	for (const char *s = unit_list(unit); *s != '\0'; s++)
		fputc(*s == ' ' ? '|' : *s, fp);
}

/*
 * A value in the metric's unit (a number without one), or of a ratio in
 * percent, with a sign; or nothing that was published.
 */
static void
cell_schema(FILE *fp, const struct key_metric *km)
{
	json_string(fp, km->km_name);
	fprintf(fp,
	    ": {\"oneOf\": [{\"enum\": [\"unpublished\"]}, {\"type\": "
	    "\"object\", \"additionalProperties\": false, "
	    "\"required\": [\"value\"], \"oneOf\": [{\"required\": "
	    "[\"tolerance\"]}, {\"required\": [\"within\"]}], "
	    "\"properties\": {\"value\": {\"type\": %s, "
	    "\"pattern\": \"^([0-9]+([.][0-9]+)? ?(",
	    km->km_unit == UNIT_NONE ? "[\"number\", \"string\"]"
				     : "\"string\"");
	unit_alternatives(fp, km->km_unit);
	fputs(")|-?[0-9]+([.][0-9]+)? ?%)$\"}, \"tolerance\": {\"type\": "
	      "\"string\", ",
	    fp);
	unit_pattern(fp, UNIT_PERCENT, false);
	fputs("}, \"within\": {\"enum\": [\"ranges\"]}, \"missed\": "
	      "{\"type\": \"string\"}}}], \"description\": ",
	    fp);
	json_string(fp, km->km_help);
	fputs("}", fp);
}

static const char sweep[] =
    "    \"sweep\": {\"type\": \"object\", \"description\": "
    "\"path or unique suffix: list of values or range; or name: "
    "alternatives\", \"properties\": {\n"
    "      \"zip\": {\"type\": \"array\", \"minItems\": 1, \"items\": "
    "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": "
    "\"string\"}}, \"description\": \"lists of swept parameters that are "
    "walked together\"},\n"
    "      \"points\": {\"type\": \"array\", \"minItems\": 1, \"items\": "
    "{\"type\": \"object\", \"minProperties\": 1}, \"description\": "
    "\"path or unique suffix: value; what is left out has its base "
    "value\"},\n"
    "      \"leave_out\": {\"type\": \"array\", \"minItems\": 1, "
    "\"items\": {\"type\": \"object\", \"minProperties\": 1}, "
    "\"description\": \"points that have all of an entry's values are left "
    "out\"}\n"
    "    }, \"additionalProperties\": {\"oneOf\": ["
    "{\"type\": \"array\", \"minItems\": 1},\n"
    "      {\"type\": \"string\", \"pattern\": \"^.+[.][.].+[*+].+$\", "
    "\"description\": \"START..END*FACTOR or START..END+STEP\"},\n"
    "      {\"type\": \"object\", \"minProperties\": 1, "
    "\"description\": \"name: settings made together\", "
    "\"additionalProperties\": {\"type\": \"object\", "
    "\"minProperties\": 1, \"description\": "
    "\"path or unique suffix: value\"}}]}},\n";

static void
rest_of_top(FILE *fp)
{
	fputs(",\n"
	      "    \"extends\": {\"type\": \"string\", \"description\": "
	      "\"another scenario file: this one is laid on it\"},\n",
	    fp);
	fputs(sweep, fp);
	fputs("    \"published\": {\"type\": \"array\", \"items\": {"
	      "\"type\": \"object\", \"additionalProperties\": false, "
	      "\"properties\": {\n"
	      "      \"where\": {\"type\": \"object\"},\n"
	      "      \"ratio_to\": {\"type\": \"object\", "
	      "\"description\": \"what the other point has instead: the "
	      "values are gains over it, in percent\"},\n"
	      "      \"fitted\": {\"type\": \"array\", \"items\": "
	      "{\"type\": \"string\"}}",
	    fp);
	for (size_t i = 0; i < key_metrics_n; i++) {
		fputs(",\n      ", fp);
		cell_schema(fp, &key_metrics[i]);
	}
	fputs("\n    }}},\n"
	      "    \"fit\": {\"type\": \"array\", \"items\": {\"type\": "
	      "\"object\", \"additionalProperties\": false, \"required\": "
	      "[\"cost\", \"range\", \"cell\"], \"properties\": {"
	      "\"cost\": {\"type\": \"string\"}, \"range\": {\"type\": "
	      "\"string\"}, \"cell\": {\"type\": \"object\"}}}},\n"
	      "    \"ranges\": {\"type\": \"object\", \"description\": "
	      "\"name: costs that are moved through their ranges together\", "
	      "\"additionalProperties\": {\"type\": \"array\", "
	      "\"minItems\": 1, \"items\": {\"type\": \"string\"}}}",
	    fp);
}

static void
json_string(FILE *fp, const char *s)
{
	fputc('"', fp);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', fp);
		fputc(*s, fp);
	}
	fputc('"', fp);
}

static void
pad(FILE *fp, int indent)
{
	fprintf(fp, "%*s", indent, "");
}
