#!/bin/sh
# embed.sh FILE...: the files as C arrays asset_NAME[] without a NUL, and a table
# of them. NAME: the file's own name, what is no letter or digit being `_`.
set -eu
export LC_ALL=C
name()
{
	basename "$1" | tr -c 'A-Za-z0-9\n' _
}
for file; do
	printf 'static const unsigned char asset_%s[] = {\n' "$(name "$file")"
	od -An -v -tu1 "$file" | sed 's/ *\([0-9][0-9]*\)/\1,/g'
	printf '};\n'
done
printf 'static const struct asset assets[] = {\n'
for file; do
	printf '\t{ "%s", asset_%s, sizeof(asset_%s) },\n' \
	    "$(basename "$file")" "$(name "$file")" "$(name "$file")"
done
printf '};\n'
