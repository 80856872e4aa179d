#include "sim/lab/output.h"

#include <string.h>

#include "sim/lab/text.h"

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
	const char *end = s + strlen(s);
	uint32_t code;
	int n;

	fputc('"', fp);
	for (; s < end; s += n) {
		n = text_decode(s, end, &code);
		if (code == '"' || code == '\\')
			fprintf(fp, "\\%c", *s);
		else if (text_is_control(code) || (code == 0xfffd && n == 1))
			fprintf(fp, "\\u%04x", (unsigned)code & 0xffff);
		else
			fwrite(s, 1, (size_t)n, fp);
	}
	fputc('"', fp);
}
