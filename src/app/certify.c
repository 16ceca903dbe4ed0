/* SPDX-License-Identifier: Apache-2.0 */
#include "app/certify.h"

#include <stdio.h>

#include "sys/clock.h"
#include "text/httpval.h"

/* ---- which ---- */

static pap_result add(struct certify *c, const char *cert, const char *key, const char *name, struct pap_err *err)
{
    if (!cert && !key)
        return OK;
    if (!cert || !key)
        return fail(err, PAP_USAGE, "%s%sa certificate needs its key, and a key its certificate", name ? name : "",
                    name ? ": " : "");
    c->at[c->n++] = (struct tls_certificate){cert, key, name};
    return OK;
}

/* The first one answers to names that are nobody's: that of all sites, or of the one that they fall back to. */
pap_result certify_list(struct certify *c, const struct pap_serve_options *o, struct sites *all, struct pap_err *err)
{
    size_t most = all->n_names + 1;
    *c = (struct certify){.o = o, .named = all->n_names ? "those of all sites" : o->tls_cert};
    c->at = arena_new_array(&all->arena, most, struct tls_certificate);
    c->files = arena_new_array(&all->arena, 2 * most, struct file_state);
    if (!c->at || !c->files)
        return fail_memory(err);
    TRY(add(c, o->tls_cert, o->tls_key, NULL, err));
    bool common = c->n > 0;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < all->n_names; i++) {
            const struct site *site = all->names[i].site;
            if ((site == (all->fallback ? all->fallback : all->at)) == (pass == 0))
                TRY(add(c, site->o->tls_cert, site->o->tls_key, all->names[i].name.p, err));
        }
    for (size_t i = 0; i < all->n && !common && c->n; i++)
        if (!all->at[i].o->tls_cert)
            return fail(err, PAP_USAGE, "%s has no certificate, and others have", all->at[i].o->domain);
    return OK;
}

/* ---- what is told ---- */

static void tell(const struct certify *c, enum pap_serve_what what, const char *text)
{
    if (c->o->event)
        c->o->event(c->o->ctx, what, text);
}

void certify_refuse(struct certify *c, const struct pap_err *why, bool again)
{
    if (again || !str_eq(str_c(why->text), str_c(c->refused.text)))
        tell(c, PAP_SERVE_UNCERTIFIED, why->text);
    c->refused = *why;
}

/* Of those that are in use now. An end that came since they were last seen is told of, and any that is past when they were
 * just read. */
static void see_dates(struct certify *c, struct server *server, bool read)
{
    int64_t now = clock_system.unix_seconds(&clock_system);
    for (size_t i = 0; i < c->n; i++) {
        struct tls_span span = server_certified(server, i);
        bool ended = span.until <= now, early = span.from > now;
        char text[sizeof c->refused.text], date[HTTP_DATE_TEXT + 1];
        if (!(read ? ended || early : ended && span.until > c->dated))
            continue;
        http_date_write(ended ? span.until : span.from, date);
        (void)snprintf(text, sizeof text, "%s %s %s", c->at[i].chain_path,
                       ended ? "has expired on" : "is not valid before", date);
        tell(c, PAP_SERVE_INVALID, text);
    }
    c->dated = now;
}

/* ---- when ---- */

void certify_see(struct certify *c)
{
    for (size_t i = 0; i < c->n; i++) {
        c->files[2 * i] = file_state(c->at[i].chain_path);
        c->files[2 * i + 1] = file_state(c->at[i].key_path);
    }
}

/* True: a file is another one than the last time. */
static bool changed(struct certify *c)
{
    bool other = false;
    for (size_t i = 0; i < 2 * c->n; i++) {
        const struct file_state now = file_state(i % 2 ? c->at[i / 2].key_path : c->at[i / 2].chain_path);
        other = other || memcmp(&now, &c->files[i], sizeof now) != 0;
        c->files[i] = now;
    }
    return other;
}

void certify_began(struct certify *c, struct server *server)
{
    see_dates(c, server, true);
}

/* Reads them once they have not changed from one look to the next: certificate and key are two files, and each may be written
 * in pieces. As long as they cannot be used they are tried again. */
void certify_look(struct certify *c, struct server *server, bool at_once)
{
    struct pap_err err = {.text = ""};
    if (!c->n)
        return;
    bool other = changed(c), wait = other || !c->due;
    c->due = c->due || other;
    if (wait && !at_once) {
        see_dates(c, server, false);
        return;
    }
    c->due = !is_ok(server_certify(server, c->at, c->n, &err));
    if (c->due) {
        certify_refuse(c, &err, at_once);
        return;
    }
    c->refused.text[0] = '\0';
    tell(c, PAP_SERVE_CERTIFIED, c->named);
    see_dates(c, server, true);
}
