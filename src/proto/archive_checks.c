/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives of skills (agent-skills 3.8). What clients refuse is an error, what only some of them stumble over a warning;
 * what they must accept (a leading ./, PAX path and size; decisions 14) is never an error. Of an archive that could not be
 * read whole only that is said.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "text/httpval.h"
#include "text/uri.h"

/* Rows about the content are silent when there is none, or only a part of it. */
static bool is_read(const struct doc *d)
{
    return d->pack.fault == PACK_WHOLE && d->pack.format != PACK_UNKNOWN;
}

static void say_fault(struct run *r, const char *what)
{
    const struct pack *p = &r->doc->pack;
    const char *text = whole(r, p->fault_text);
    if (p->fault_name.n)
        find_entry(r, p->fault_name, "the archive %s: %s", what, text);
    else
        find(r, NULL, "the archive %s: %s", what, text);
}

static bool is_html(const struct doc *d)
{
    for (const struct note *n = d->notes.first; n; n = n->next)
        if (n->code == NOTE_HTML)
            return true;
    return false;
}

static void is_whole(struct run *r)
{
    enum pack_fault fault = r->doc->pack.fault;
    if (fault == PACK_WHOLE || fault >= PACK_LIMIT_UNPACKED || is_html(r->doc))
        return; /* text.html tells of a web page */
    say_fault(r, "cannot be used");
    if (fault == PACK_UTF8_MANGLED)
        mend(r, "A tool re-encoded the archive as UTF-8, as if it were text: copy it as bytes (`*.gz binary` in "
                ".gitattributes, "
                "no text mode in the build) and compute the digest anew.");
}

static void is_bounded(struct run *r)
{
    if (r->doc->pack.fault >= PACK_LIMIT_UNPACKED && r->doc->pack.fault < PACK_TAR_ONE_ZERO_BLOCK)
        say_fault(r, "is not unpacked by clients");
}

static void fits_mcp(struct run *r)
{
    const struct pack *p = &r->doc->pack;
    if (!is_read(r->doc))
        return;
    if (p->unpacked > LIMIT_MCP_UNPACKED)
        find(r, NULL, "the archive unpacks to %llu bytes; hosts that offer skills over MCP need not take more than %d",
             (unsigned long long)p->unpacked, LIMIT_MCP_UNPACKED);
    if (p->n_files > LIMIT_MCP_FILES)
        find(r, NULL, "the archive has %zu files; hosts that offer skills over MCP need not take more than %d",
             p->n_files, LIMIT_MCP_FILES);
}

/* ---- format ---- */

static const char *format_noun_of(enum pack_format f)
{
    return f == PACK_ZIP ? "a zip" : "a tar.gz";
}

/* To add a type or an ending: a row. `type` false: an ending of the last path segment. */
static const struct {
    const char *word;
    bool type;
    enum pack_format format;
} format_words[] = {
    {"application/gzip", true, PACK_TAR_GZ},
    {"application/x-gzip", true, PACK_TAR_GZ},
    {"application/x-tgz", true, PACK_TAR_GZ},
    {"application/x-gtar", true, PACK_TAR_GZ},
    {"application/x-compressed-tar", true, PACK_TAR_GZ},
    {"application/zip", true, PACK_ZIP},
    {"application/x-zip-compressed", true, PACK_ZIP},
    {".tar.gz", false, PACK_TAR_GZ},
    {".tgz", false, PACK_TAR_GZ},
    {".zip", false, PACK_ZIP},
};

static enum pack_format format_by(struct pap_str text, bool type)
{
    for (size_t i = 0; i < sizeof format_words / sizeof format_words[0]; i++) {
        struct pap_str w = str_c(format_words[i].word);
        if (format_words[i].type == type && text.n >= w.n && (!type || text.n == w.n) &&
            str_eq_nocase(str_skip(text, text.n - w.n), w))
            return format_words[i].format;
    }
    return PACK_UNKNOWN;
}

static struct pap_str file_name(const struct doc *d)
{
    struct uri u;
    size_t at;
    const char *why;
    struct pap_str path = d->exchange && uri_parse(d->name, &u, &at, &why) ? u.path : d->name;
    size_t slash = str_rfind_char(path, '/');
    return slash < path.n ? str_skip(path, slash + 1) : path;
}

/* R-A1: by Content-Type; where it is absent or says nothing, by the ending of the path; the bytes must agree. */
static void format_agrees(struct run *r)
{
    struct pap_str value = hop_header(exchange_last(r->doc->exchange), "Content-Type"), type = {0}, params;
    struct pap_str last = file_name(r->doc);
    enum pack_format is = r->doc->pack.format, said;
    if (!r->doc->bytes.p || is == PACK_UNKNOWN || r->doc->pack.fault == PACK_BAD_MAGIC)
        return;
    bool has_type = value.p && media_type_parse(value, &type, &params);
    bool generic = !has_type || str_eq_nocase(type, S("application/octet-stream")) ||
                   str_eq_nocase(type, S("binary/octet-stream"));
    if (!generic) {
        said = format_by(type, true);
        if (said != PACK_UNKNOWN && said != is)
            find_header(r, "Content-Type", "the content type is %s, but the file is %s", q(r, value),
                        format_noun_of(is));
        return; /* a type that is no archive's is said by artifact.http.content-type */
    }
    said = format_by(last, false);
    if (said != PACK_UNKNOWN && said != is)
        find(r, NULL, "the name %s says %s, but the file is %s", q(r, last), format_noun_of(said), format_noun_of(is));
    else if (said == PACK_UNKNOWN && r->doc->exchange)
        find(r, NULL, "nothing tells clients that the file is %s: neither a content type nor the end of the name %s",
             format_noun_of(is), q(r, last));
}

/* ---- layout ---- */

static const struct pack_entry *root_skill(const struct pack *p, bool exact)
{
    for (const struct pack_entry *e = p->entries; e; e = e->next)
        if (exact ? str_is(e->name, "SKILL.md") : str_eq_nocase(e->name, S("SKILL.md")))
            return e;
    return NULL;
}

/* The folder that holds every entry (junk aside); p NULL when there is none. */
static struct pap_str wrapper(const struct pack *p)
{
    struct pap_str folder = {0};
    for (const struct pack_entry *e = p->entries; e; e = e->next) {
        struct pap_str first = str_take(e->name, str_find_char(e->name, '/'));
        if (pack_is_junk(e->name))
            continue;
        if ((first.n == e->name.n && e->type != PACK_DIR) || (folder.p && !str_eq(folder, first)))
            return str(NULL, 0);
        folder = first;
    }
    return folder;
}

static const struct pack_entry *any_skill(const struct pack *p)
{
    for (const struct pack_entry *e = p->entries; e; e = e->next)
        if (!pack_is_junk(e->name) && str_ends(e->name, S("/SKILL.md")))
            return e;
    return NULL;
}

static void has_skill_at_root(struct run *r)
{
    const struct pack *p = &r->doc->pack;
    const struct pack_entry *e = root_skill(p, true), *other = root_skill(p, false), *below = any_skill(p);
    struct pap_str folder = wrapper(p);
    if (!is_read(r->doc) || (e && e->type != PACK_DIR)) /* a link is said by archive.link */
        return;
    if (e) {
        find_entry(r, e->name, "SKILL.md is a folder");
    } else if (other) {
        find_entry(r, other->name, "the archive has no SKILL.md at its root, but %s; clients look for exactly SKILL.md",
                   q(r, other->name));
        mend(r, "Rename it to SKILL.md.");
    } else if (folder.n && !pack_name_fault(folder)) {
        find_entry(r, folder, "everything lies in the wrapper directory %s, so there is no SKILL.md at the root",
                   q(r, folder));
        mend(r, "Pack what is in the folder, not the folder: in it, `tar -czf ../skill.tar.gz SKILL.md ...`.");
    } else if (below) {
        find_entry(r, below->name, "there is no SKILL.md at the root; one lies at %s", q(r, below->name));
    } else {
        find(r, NULL, "there is no SKILL.md in the archive");
    }
}

static void names_are_safe(struct run *r)
{
    for (const struct pack_entry *e = is_read(r->doc) ? r->doc->pack.entries : NULL; e; e = e->next) {
        const char *fault = pack_name_fault(e->name);
        if (fault)
            find_entry(r, e->raw_name, "the name %s %s; clients refuse the whole archive", q(r, e->raw_name), fault);
    }
}

static void no_links(struct run *r)
{
    for (const struct pack_entry *e = is_read(r->doc) ? r->doc->pack.entries : NULL; e; e = e->next) {
        if (e->type == PACK_SYMLINK || e->type == PACK_HARDLINK)
            find_entry(r, e->name, "%s is %s to %s; clients refuse the whole archive", q(r, e->name),
                       pack_type_noun(e->type), q(r, e->link));
        else if (e->type == PACK_SPECIAL)
            find_entry(r, e->name, "%s is %s; clients refuse the whole archive", q(r, e->name),
                       pack_type_noun(e->type));
    }
}

static void no_collisions(struct run *r)
{
    struct arena scratch;
    struct pack_collision c = {0};
    if (!is_read(r->doc))
        return;
    arena_init(&scratch, r->arena->alloc);
    if (!is_ok(pack_find_collision(&scratch, &r->doc->pack, &c)))
        r->no_memory = true;
    if (c.second)
        find_entry(r, c.second->name, "the entries %s and %s %s", q(r, c.first->name), q(r, c.second->name), c.why);
    arena_fini(&scratch);
}

/* ---- what not every client takes ---- */

/* One finding for all entries with a fact, at the first of them. */
static void say_fact(struct run *r, unsigned fact, const char *what)
{
    const struct pack_entry *first = NULL;
    size_t n = 0;
    for (const struct pack_entry *e = r->doc->pack.entries; e; e = e->next) {
        if (!(e->facts & fact))
            continue;
        first = first ? first : e;
        n++;
    }
    if (first)
        find_entry(r, first->raw_name, "in %zu of %zu entries %s; the first is %s", n, r->doc->pack.n_entries, what,
                   q(r, first->raw_name));
}

static void is_portable(struct run *r)
{
    if (!is_read(r->doc))
        return;
    say_fact(r, PACK_F_DOT_SLASH, "the name begins with ./, which some clients refuse in a tar");
    say_fact(r, PACK_F_LONG_NAME, "the name is longer than 100 bytes, and some clients cut it off in silence");
    say_fact(r, PACK_F_PAX, "there is an extended header (PAX or GNU), which some clients do not read");
}

static void no_junk(struct run *r)
{
    const struct pack_entry *first = NULL;
    size_t n = 0;
    for (const struct pack_entry *e = is_read(r->doc) ? r->doc->pack.entries : NULL; e; e = e->next) {
        if (!pack_is_junk(e->name))
            continue;
        first = first ? first : e;
        n++;
    }
    if (first)
        find_entry(r, first->name, "an operating system left %zu of %zu entries behind; the first is %s", n,
                   r->doc->pack.n_entries, q(r, first->name));
}

static void is_reproducible(struct run *r)
{
    unsigned facts = 0;
    for (const struct pack_entry *e = is_read(r->doc) ? r->doc->pack.entries : NULL; e; e = e->next)
        facts |= e->facts;
    bool times = facts & PACK_F_MTIME, owners = facts & PACK_F_OWNER;
    const char *entries = times && owners ? "entries hold times and owners"
                          : times         ? "entries hold times"
                          : owners        ? "entries hold owners"
                                          : "";
    bool header = is_read(r->doc) && r->doc->pack.gzip_time;
    if (*entries || header)
        find(r, NULL, "%s%s%s, so the same files give another digest on another day or machine", entries,
             *entries && header ? ", and " : "", header ? "the gzip header holds a time or a name" : "");
}

static void no_special_bits(struct run *r)
{
    if (is_read(r->doc))
        say_fact(r, PACK_F_SETID, "have a setuid, setgid or sticky bit");
}

static void end_is_clean(struct run *r)
{
    static const struct {
        enum pack_fault notice;
        const char *what;
    } notices[] = {
        {PACK_TAR_ONE_ZERO_BLOCK, "the tar ends with one block of zeros instead of two"},
        {PACK_TAR_NO_END, "the tar ends without the two blocks of zeros that end a tar"},
        {PACK_GZIP_ZERO_PADDING, "zeros follow the gzip data"},
    };
    for (size_t i = 0; is_read(r->doc) && i < sizeof notices / sizeof notices[0]; i++)
        if (r->doc->pack.notices & PACK_NOTICE(notices[i].notice))
            find(r, NULL, "%s; some programs call that damaged", notices[i].what);
}

static void has_other_files(struct run *r)
{
    const struct pack *p = &r->doc->pack;
    const struct pack_entry *e = root_skill(p, true);
    size_t n = 0;
    for (const struct pack_entry *f = p->entries; f; f = f->next)
        n += f->type != PACK_DIR && !pack_is_junk(f->name);
    if (is_read(r->doc) && e && e->type == PACK_FILE && n == 1)
        find(r, NULL, "SKILL.md is the only file of the archive");
}

#define ARCHIVE .spec = SPEC_DISCOVERY, .section = "Archive Distribution", .kind = KIND_ARCHIVE, .sure = V_ALL
#define ADVICE .spec = SPEC_PAPAVER, .section = "", .kind = KIND_ARCHIVE, .sure = V_ALL, .level = LEVEL_ADVICE

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "archive.damaged", .covers = "A308 A-1 A-9", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = is_whole,
        .title = "the archive is a whole tar.gz or zip",
        .why = "Clients that check every byte refuse it; others unpack half of it, or something else than you packed.",
        .mend = "Pack it anew with a plain tool, upload it as bytes, and compute the digest from what is served.",
        .good = "`gzip -t skill.tar.gz` says nothing", .bad = "a download that was cut off",
    },
    {
        .id = "archive.format", .covers = "A308 A-9 R-A1", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = format_agrees,
        .title = "content type, name and bytes tell one format",
        .why = "Clients choose the unpacker by the content type, else by the name, and refuse a file that begins otherwise.",
        .mend = "Name the file .tar.gz or .zip as it is, and send application/gzip or application/zip with it.",
        .good = "skill.tar.gz, application/gzip, bytes 1f 8b", .bad = "skill.zip with bytes 1f 8b",
    },
    {
        .id = "archive.limits", .covers = "A307 S07 A-7 R-A2", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = is_bounded,
        .title = "the archive unpacks within what clients allow",
        .why = "Clients stop at 100 MiB, 1,000 files, 10 MiB a file or 16 folders deep, so that nobody can fill a disk.",
        .mend = "Leave out what the skill does not need; put large data where the skill can link to it.",
        .good = "12 files, 300 kB", .bad = "20,000 files",
    },
    {
        .id = "archive.limits.mcp", .covers = "A307 R-P9 R-M2 M-13", .spec = SPEC_MCP, .section = "", .kind = KIND_ARCHIVE,
        .sure = V_ALL, .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = fits_mcp,
        .title = "the archive has at most 512 files and 16 MiB",
        .why = "Above that a host that offers skills over MCP may leave the skill out.",
        .mend = "Leave out what the skill does not need.",
        .good = "12 files, 300 kB", .bad = "600 files",
    },
    {
        .id = "archive.root", .covers = "A301 S07 A-2 A-3", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = has_skill_at_root,
        .title = "SKILL.md lies at the root of the archive",
        .why = "Clients look for exactly this entry; with a folder around everything they find no skill.",
        .mend = "Pack the content of the skill's folder: `tar -czf skill.tar.gz -C change-booking SKILL.md ...`.",
        .good = "SKILL.md", .bad = "change-booking/SKILL.md",
    },
    {
        .id = "archive.name", .covers = "A302 S07 A-4 A-5 R-A3 R-A5", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = names_are_safe,
        .title = "every name in the archive is a plain path inside the skill",
        .why = "A name that climbs out or is absolute would write over other files, so clients refuse the whole archive; other "
               "names mean another file on another system.",
        .mend = "Give the file a plain relative name, with / between folders.",
        .good = "references/status.md", .bad = "../status.md",
    },
    {
        .id = "archive.link", .covers = "A303 S07 A-6 R-A6", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = no_links,
        .title = "the archive holds files and folders only",
        .why = "A link can lead to a file of the person who unpacks it, so clients refuse the whole archive.",
        .mend = "Pack a copy of the file (`tar --dereference --hard-dereference`, `zip` without -y).",
        .good = "a copy of the file", .bad = "a symbolic link to ../shared/status.md",
    },
    {
        .id = "archive.collision", .covers = "A304 R-A7", ARCHIVE, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = no_collisions,
        .title = "no two entries fall on one file",
        .why = "On systems that do not tell upper from lower case one of the files is lost, and nobody knows which; clients "
               "refuse the archive.",
        .mend = "Rename one of the two.",
        .good = "a.md and b.md", .bad = "Notes.md and notes.md",
    },
    {
        .id = "archive.portable", .covers = "A305 R-P9", ADVICE, .severity = PAP_WARNING, .fn = is_portable,
        .title = "names are plain: no leading ./, at most 100 bytes, no extended headers",
        .why = "Such archives are right, but widespread installers refuse or misread them.",
        .mend = "Name the files when you pack: `tar --format=ustar -czf skill.tar.gz -C change-booking SKILL.md references`.",
        .good = "SKILL.md", .bad = "./SKILL.md",
    },
    {
        .id = "archive.junk", .covers = "A306 R-A8", ADVICE, .severity = PAP_WARNING, .fn = no_junk,
        .title = "the archive holds nothing that an operating system left behind",
        .why = "Clients skip or refuse these files, and some show them to the model.",
        .mend = "Leave them out: `COPYFILE_DISABLE=1 tar --exclude .DS_Store ...`, `zip -x '__MACOSX/*' '*.DS_Store'`.",
        .good = "SKILL.md", .bad = "._SKILL.md",
    },
    {
        .id = "archive.reproducible", .covers = "A309 R-A10", ADVICE, .severity = PAP_WARNING, .fn = is_reproducible,
        .title = "the archive holds no times and owners",
        .why = "Each build gives another digest for the same skill, so clients fetch and ask for approval again, and an index "
               "that was made from another build does not match.",
        .mend = "Pack with fixed values: `tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner` and `gzip -n`; `zip -X` "
                "with the times set to 1980-01-01.",
        .good = "mtime 0, owner 0", .bad = "the time of the build, user 501",
    },
    {
        .id = "archive.mode", .covers = "R-A9", ADVICE, .severity = PAP_WARNING, .strict = true, .fn = no_special_bits,
        .title = "no entry has a setuid, setgid or sticky bit",
        .why = "Clients drop these bits; a careful one takes them for an attack.",
        .mend = "Pack files as 0644 or 0755: `tar --mode=u=rwX,go=rX`.",
        .good = "0644", .bad = "4755",
    },
    {
        .id = "archive.end", .covers = "", ADVICE, .severity = PAP_WARNING, .fn = end_is_clean,
        .title = "the archive ends as its format says",
        .why = "Strict programs report a damaged archive.",
        .mend = "Pack it with a plain tar and gzip, and do not pad or cut the file afterwards.",
        .good = "two blocks of zeros, then the end of the gzip data", .bad = "one block of zeros",
    },
    {
        .id = "archive.single-file", .covers = "P-12", ARCHIVE, .level = LEVEL_SHOULD, .severity = PAP_INFO,
        .fn = has_other_files,
        .title = "a skill that is one file is published as skill-md",
        .why = "A single SKILL.md needs no unpacking, and every client can take it.",
        .mend = "Serve SKILL.md itself with \"type\": \"skill-md\"; an archive is for skills with further files.",
        .good = "\"type\": \"skill-md\"", .bad = "an archive with SKILL.md alone",
    },
};
/* clang-format on */

CHECK_TABLE(archive_checks, rows);
