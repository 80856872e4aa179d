#include "sim/lab/output.h"

void
output_json_params(FILE *fp, const struct scenario_param *params, int n)
{
	fputc('{', fp);
	for (int i = 0; i < n; i++) {
		fputs(i > 0 ? ", " : "", fp);
		output_json_string(fp, params[i].pa_path);
		fputs(": ", fp);
		if (params[i].pa_bare)
			fputs(params[i].pa_value, fp);
		else
			output_json_string(fp, params[i].pa_value);
	}
	fputc('}', fp);
}

void
output_json_string(FILE *fp, const char *s)
{
	fputc('"', fp);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(fp, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(fp, "\\u%04x", (unsigned)*s);
		else
			fputc(*s, fp);
	}
	fputc('"', fp);
}
