/* SPDX-License-Identifier: Apache-2.0
 *
 * Charts, drawn here as SVG: how many publish over time, which versions, which faults are commonest. Beside each stands the
 * same as a table, for those who do not see it.
 */
#include "web/sites.h"

enum {
    WIDTH = 720,
    HEIGHT = 260,
    LEFT = 48,
    BOTTOM = 28,
    TOP = 12,
    DAYS = 180,
    BARS_MOST = 15,
    BAR = 24,
    LABEL_MOST = 38
};

static const char style[] =
    "<style>text{font:12px system-ui,sans-serif;fill:#635b53}.l{fill:none;stroke:#d8432b;"
    "stroke-width:2.5;stroke-linejoin:round}.g{stroke:#8a817833}.b{fill:#d8432b}"
    "@media(prefers-color-scheme:dark){text{fill:#b3a99f}.l{stroke:#f0664c}.b{fill:#f0664c}}</style>";

static void open_svg(struct asked *k, unsigned height, const char *title)
{
    buf_fmt(&k->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\" role=\"img\" "
            "aria-label=\"%s\"><title>%s</title>%s\n",
            WIDTH, height, WIDTH, height, title, title, style);
}

static void close_svg(struct asked *k)
{
    html(k, "</svg>\n");
    asked_field(k, "Content-Security-Policy", S("default-src 'none'; style-src 'unsafe-inline'; sandbox"));
    asked_send(k, 200, "image/svg+xml", CACHE_LOOK, str(NULL, 0));
}

/* The next number of one digit and zeros. */
static uint64_t round_up(uint64_t n)
{
    for (uint64_t ten = 1;; ten *= 10)
        for (uint64_t digit = 1; digit < 10; digit++)
            if (digit * ten >= n)
                return digit * ten;
}

/* ---- adoption ---- */

static bool adoption(struct asked *k, struct census_counts *ret)
{
    struct pap_err err = {.text = ""};
    int64_t today = k->now / CENSUS_DAY;
    if (!asked_store(k))
        return false;
    bool ok = is_ok(census_charts(k->store, k->arena, S("sites"), today - DAYS, today, ret, &err));
    if (!ok)
        asked_store_failed(k, &err);
    return ok;
}

static bool is_listed(const struct census_count *c)
{
    return str_is(c->word, "listed");
}

static void axis(struct asked *k, uint64_t most, int64_t first, int64_t last)
{
    for (unsigned i = 0; i <= 4; i++) {
        unsigned y = TOP + (HEIGHT - TOP - BOTTOM) * i / 4;
        buf_fmt(&k->out, "<path class=\"g\" d=\"M%d %uH%d\"/><text x=\"%d\" y=\"%u\" text-anchor=\"end\">%.4g</text>\n",
                LEFT, y, WIDTH - 8, LEFT - 8, y + 4, (double)most * (4 - i) / 4);
    }
    buf_fmt(&k->out, "<text x=\"%d\" y=\"%d\">", LEFT, HEIGHT - 8);
    add_date(&k->out, first * CENSUS_DAY);
    buf_fmt(&k->out, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH - 8, HEIGHT - 8);
    add_date(&k->out, last * CENSUS_DAY);
    html(k, "</text>\n");
}

void file_adoption(struct asked *k)
{
    struct census_counts c;
    uint64_t most = 1;
    int64_t first = INT64_MAX, last = 0;
    if (!adoption(k, &c))
        return;
    for (size_t i = 0; i < c.n; i++)
        if (is_listed(&c.count[i])) {
            most = c.count[i].n > most ? c.count[i].n : most;
            first = c.count[i].day < first ? c.count[i].day : first;
            last = c.count[i].day;
        }
    open_svg(k, HEIGHT, "Sites that publish, day by day");
    most = round_up(most);
    if (last) {
        axis(k, most, first, last);
        html(k, "<path class=\"l\" d=\"");
        bool begun = false;
        for (size_t i = 0; i < c.n; i++)
            if (is_listed(&c.count[i])) {
                double along = last > first ? (double)(c.count[i].day - first) / (double)(last - first) : 0.5;
                buf_fmt(&k->out, "%s%.1f %.1f", begun ? "L" : "M", LEFT + along * (WIDTH - LEFT - 8),
                        TOP + (1 - (double)c.count[i].n / (double)most) * (HEIGHT - TOP - BOTTOM));
                begun = true;
            }
        html(k, "h.1\"/>\n");
    } else {
        buf_fmt(&k->out, "<text x=\"%d\" y=\"%d\">No day is counted yet</text>\n", LEFT, HEIGHT / 2);
    }
    close_svg(k);
}

/* ---- bars ---- */

static bool tally_of(struct asked *k, struct census_counts *ret)
{
    struct pap_err err = {.text = ""};
    if (!asked_store(k))
        return false;
    bool ok = is_ok(census_tally(k->store, k->arena, true, ret, &err));
    if (!ok)
        asked_store_failed(k, &err);
    return ok;
}

static void bars(struct asked *k, const char *what, const char *title)
{
    struct census_counts c;
    uint64_t most = 1;
    unsigned n = 0;
    if (!tally_of(k, &c))
        return;
    for (size_t i = 0; i < c.n; i++)
        if (str_is(c.count[i].what, what)) {
            most = c.count[i].n > most ? c.count[i].n : most;
            n++;
        }
    n = n < BARS_MOST ? n : BARS_MOST;
    open_svg(k, (n ? n : 1) * BAR + 16, title);
    if (!n)
        html(k, "<text x=\"8\" y=\"24\">Nothing is counted yet</text>\n");
    n = 0;
    for (size_t i = 0; i < c.n && n < BARS_MOST; i++) {
        if (!str_is(c.count[i].what, what))
            continue;
        unsigned y = n++ * BAR + 8;
        double width = (double)c.count[i].n / (double)most * (WIDTH - 330);
        buf_fmt(&k->out, "<text x=\"260\" y=\"%u\" text-anchor=\"end\">", y + 15);
        words(k, c.count[i].word.n ? str_take(c.count[i].word, LABEL_MOST) : S("none said"));
        buf_fmt(&k->out, "</text><rect class=\"b\" x=\"268\" y=\"%u\" width=\"%.1f\" height=\"16\" rx=\"3\"/>", y + 3,
                width);
        buf_fmt(&k->out, "<text x=\"%.1f\" y=\"%u\">%llu</text>\n", 274 + width, y + 15,
                (unsigned long long)c.count[i].n);
    }
    close_svg(k);
}

void file_versions(struct asked *k)
{
    bars(k, "version", "Versions of the protocol, by sites");
}

void file_faults(struct asked *k)
{
    bars(k, "rule", "Commonest findings, by sites");
}

/* ---- the page ---- */

static void counts_table(struct asked *k, const struct census_counts *c, const char *what, const char *head)
{
    unsigned n = 0;
    buf_fmt(
        &k->out,
        "<details><summary>As a table</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">%s</th><th "
        "scope=\"col\" class=\"n\">Sites</th></tr></thead>\n<tbody>\n",
        head);
    for (size_t i = 0; i < c->n && n < BARS_MOST; i++) {
        if (!str_is(c->count[i].what, what))
            continue;
        n++;
        html(k, "<tr><th scope=\"row\">");
        words(k, c->count[i].word.n ? c->count[i].word : S("none said"));
        buf_fmt(&k->out, "</th><td class=\"n\">%llu</td></tr>\n", (unsigned long long)c->count[i].n);
    }
    html(k, "</tbody></table></div></details>\n");
}

void page_charts(struct asked *k)
{
    struct census_counts c;
    if (!tally_of(k, &c))
        return;
    shell_open(k, &(struct page){.title = S("Charts"), .at = "/charts"});
    html(
        k,
        "<h1>Charts</h1>\n<h2>Sites that publish</h2>\n<div class=\"chart\" tabindex=\"0\"><img src=\"/charts/adoption.svg\" "
        "width=\"720\" height=\"260\" alt=\"Sites that publish, day by day\"></div>\n");
    counts_table(k, &c, "sites", "Now");
    html(
        k,
        "<h2>Versions</h2>\n<div class=\"chart\" tabindex=\"0\"><img src=\"/charts/versions.svg\" alt=\"Versions of the protocol, by "
        "sites\"></div>\n");
    counts_table(k, &c, "version", "Version");
    html(
        k,
        "<h2>Commonest findings</h2>\n<div class=\"chart\" tabindex=\"0\"><img src=\"/charts/faults.svg\" alt=\"Commonest findings, by "
        "sites\"></div>\n");
    counts_table(k, &c, "rule", "Rule");
    asked_page(k, 200, CACHE_LOOK, str(NULL, 0));
}
