/* SPDX-License-Identifier: Apache-2.0
 *
 * A skill out of an artifact: compare the digest, only then unpack, judge every name and type, read SKILL.md (remote-skills
 * 7 and 8, agent-skills 3.8; decisions 7, 13, 14, 16). Faults have the context of Remote Skills' fixtures: path, limit or
 * field alone; who needs origin_alias and skill_name with it sets them. Pure: bytes in, files out to a sink; touches neither network nor
 * cache. Nothing is run, and allowed-tools is never a permission.
 */
#ifndef SKILLS_ARTIFACT_H
#define SKILLS_ARTIFACT_H

#include "crypto/digest.h"
#include "pack/unpack.h"
#include "skills/catalog.h"
#include "text/json.h"

/* Zeroed members mean the defaults of decision 7. */
struct artifact_limits {
    uint64_t archive;  /* bytes of the artifact: archive_bytes */
    uint64_t unpacked; /* extracted_bytes */
    uint64_t file;     /* file_bytes */
    uint32_t files;    /* files */
};

/* What is expected, and how the bytes came. */
struct artifact_want {
    struct pap_str alias;       /* origin_alias of faults; p NULL: none */
    struct pap_str name;        /* of the catalog's entry */
    struct pap_str description; /* of the entry, when the release is the current one; p NULL: not compared */
    enum artifact_type type;
    struct pap_str digest;       /* "sha256:..." */
    struct pap_str url;          /* its path tells the format where the media type does not */
    struct pap_str content_type; /* value of the header field; p NULL: none came */
    bool strict;                 /* front matter by R-FM instead of R-F */
    struct artifact_limits limits;
};

struct skill_file {
    struct pap_str path; /* as it is to be written: without "./"; a NUL is behind it */
    uint64_t off, size;  /* off: how many bytes of other files came before it */
    const char *media;   /* by its ending (R-RES-2) */
    struct digest digest;
    bool executable; /* the archive says so; nobody has to believe it */
};

struct skill {
    struct pap_str name, description;
    struct pap_str license, compatibility, allowed_tools; /* p NULL: none, or not a text */
    const struct json *front;                             /* the whole front matter, an object */
    struct pap_str text;                                  /* SKILL.md, byte for byte */
    struct pap_str instructions;                          /* what follows the front matter (R-FM-6); a part of `text` */
    const struct skill_file *files;                       /* sorted by path */
    size_t n_files;
    uint64_t bytes;           /* of all files */
    enum pack_format format;  /* PACK_UNKNOWN: a SKILL.md alone */
    const char *warnings[16]; /* sentences that need not stop anybody, at most so many */
    size_t n_warnings;
};

/* Where the files go, in the order of the artifact; only regular files with good names, no junk (R-A8). Folders are those
 * of the paths. A failure ends the reading and is passed on. What went to a sink must be thrown away when artifact_read() does not end well. */
struct artifact_sink {
    pap_result (*begin)(void *ctx, struct pap_str path, uint64_t size, bool executable, struct pap_err *err);
    pap_result (*data)(void *ctx, struct pap_str piece, struct pap_err *err);
    pap_result (*end)(void *ctx, const struct skill_file *file, struct pap_err *err);
    void *ctx;
};

/* SHA-256 of all bytes of a source, and how many they are; more than `max`: *ret_bytes is then more than `max`, and the
 * digest not to be used. */
pap_result artifact_digest(const struct pack_source *from, uint64_t max, struct digest *ret, uint64_t *ret_bytes,
                           struct pap_err *err) PAP_MUST;

/* The format of an archive by media type, else by the path of the URL (R-A1); PACK_UNKNOWN: unsupported. */
enum pack_format artifact_format(struct pap_str content_type, struct pap_str url);

/* All of the above, in this order: size, digest, format, entries, SKILL.md. `to` may be NULL. When the artifact is refused,
 * ret_fault->code says why and *ret is not written. *ret lives in the arena. Failures: memory, libcrypto, and those of
 * source and sink. */
pap_result artifact_read(struct arena *a, const struct artifact_want *want, const struct pack_source *from,
                         const struct artifact_sink *to, struct skill *ret, struct skill_fault *ret_fault,
                         struct pap_err *err) PAP_MUST;

/* The same without the digest, for bytes whose digest was compared before: what is in a cache. */
pap_result artifact_unpack(struct arena *a, const struct artifact_want *want, const struct pack_source *from,
                           const struct artifact_sink *to, struct skill *ret, struct skill_fault *ret_fault,
                           struct pap_err *err) PAP_MUST;

/* Media type of a file by its name (R-RES-2). */
const char *artifact_media(struct pap_str path);

#endif
