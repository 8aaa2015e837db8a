/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/export/html.h"

#include "viewer/export/html-data.h"

/* The files html-page.*, as texts; made by embed.awk. */
#include "viewer/export/html-page.inc"

void html_write(const struct scene *scene, int64_t forked, struct str *into)
{
	for (size_t i = 0; i < sizeof(html_page) / sizeof(*html_page); i++)
		str_add(into, html_page[i]);
	str_add(into, "<script type=\"application/json\" id=\"data\">");
	html_data_write(scene, forked, into);
	str_add(into, "</script>\n<script>\n");
	for (size_t i = 0; i < sizeof(html_script) / sizeof(*html_script); i++)
		str_add(into, html_script[i]);
	str_add(into, "</script>\n</body>\n</html>\n");
}
