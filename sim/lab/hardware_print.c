/* `solab costs`: the ledger of a profile. */
#include <stdio.h>
#include <string.h>

#include "sim/lab/hardware.h"

/* "once" or "KiB" for costs, "" for the rest. */
static const char *
charged_for(const struct hardware_entry *he)
{
	for (int i = 0; i < COST_N && he->he_key->k_unit == UNIT_TIME; i++) {
		if (strcmp(cost_infos[i].ci_name, he->he_name) == 0)
			return cost_infos[i].ci_unit;
	}
	return "-";
}

/* "120ns..400ns", or "-". Returns: buf. */
static char *
range_text(const struct hardware_entry *he, char *buf, size_t size)
{
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];

	key_print(he->he_key, &he->he_low, low, sizeof(low));
	key_print(he->he_key, &he->he_high, high, sizeof(high));
	snprintf(buf, size, "%s%s%s", he->he_ranged ? low : "-",
	    he->he_ranged ? ".." : "", he->he_ranged ? high : "");
	return buf;
}

/* Of the columns of the ledger. */
struct widths {
	int wi_name, wi_value, wi_range, wi_source;
};

static int
wider(int width, const char *text)
{
	int n = (int)strlen(text);

	return n > width ? n : width;
}

static struct widths
widths(const struct hardware *ha)
{
	struct widths wi = { 4, 5, 5, 6 };
	char text[2 * UNIT_TEXT_MAX + 2];

	for (size_t i = 0; i < ha->ha_nentries; i++) {
		const struct hardware_entry *he = &ha->ha_entries[i];

		wi.wi_name = wider(wi.wi_name, he->he_name);
		key_print(he->he_key, &he->he_value, text, sizeof(text));
		wi.wi_value = wider(wi.wi_value, text);
		range_text(he, text, sizeof(text));
		wi.wi_range = wider(wi.wi_range, text);
		wi.wi_source = wider(wi.wi_source, he->he_source);
	}
	wi.wi_source = wi.wi_source > 60 ? 60 : wi.wi_source;
	return wi;
}

void
hardware_print(const struct hardware *ha, FILE *fp)
{
	struct widths wi = widths(ha);
	char value[UNIT_TEXT_MAX], range[2 * UNIT_TEXT_MAX + 2];

	fprintf(fp, "%s (%s)%s%s\n", ha->ha_name,
	    hardware_role_name(ha->ha_role), ha->ha_title ? ": " : "",
	    ha->ha_title ? ha->ha_title : "");
	fprintf(fp, "%-*s  %*s  %-*s  %-4s  %-9s  %-*s  %s\n", wi.wi_name,
	    "name", wi.wi_value, "value", wi.wi_range, "range", "unit", "kind",
	    wi.wi_source, "source", "help");
	for (size_t i = 0; i < ha->ha_nentries; i++) {
		const struct hardware_entry *he = &ha->ha_entries[i];

		key_print(he->he_key, &he->he_value, value, sizeof(value));
		fprintf(fp, "%-*s  %*s  %-*s  %-4s  %-9s  %-*s  %s\n",
		    wi.wi_name, he->he_name, wi.wi_value, value, wi.wi_range,
		    range_text(he, range, sizeof(range)), charged_for(he),
		    hardware_kind_name(he->he_kind), wi.wi_source,
		    he->he_source, he->he_key->k_help);
		for (size_t c = 0; c < he->he_ncells; c++)
			fprintf(fp, "%*s  fitted to %s\n", wi.wi_name, "",
			    he->he_cells[c]);
	}
}
