/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives of skills: tar.gz and zip, bytes in, entries out; touches no file. Every byte is accounted for (CRC, sizes,
 * end of archive, overlaps); what is wrong is recorded per entry or for the archive, with caps while unpacking.
 * Rules: specs agent-skills 3.8 (R-A1 ... R-A9); which of them refuse is decided by rows in proto/archive_checks.c.
 */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "base/arena.h"
#include "base/result.h"

enum pack_format { PACK_UNKNOWN = 0, PACK_TAR_GZ, PACK_ZIP };

enum pack_type { PACK_FILE, PACK_DIR, PACK_SYMLINK, PACK_HARDLINK, PACK_SPECIAL };

/* Facts about an archive or an entry that somebody must judge. One row each in pack_fault_name(). */
enum pack_fault {
    PACK_WHOLE = 0,
    /* damage: nothing of the archive may be used */
    PACK_BAD_MAGIC,    /* not gzip / not zip */
    PACK_UTF8_MANGLED, /* begins 1f ef bf bd: a binary file that went through a text converter */
    PACK_GZIP_HEADER,
    PACK_GZIP_CRC,
    PACK_GZIP_SIZE,
    PACK_GZIP_DATA,
    PACK_GZIP_TRUNCATED,
    PACK_GZIP_TRAILING,
    PACK_TAR_CHECKSUM,
    PACK_TAR_NUMBER,
    PACK_TAR_TRUNCATED,
    PACK_TAR_TRAILING,
    PACK_TAR_PAX,
    PACK_ZIP_END,
    PACK_ZIP_DIRECTORY,
    PACK_ZIP_LOCAL,
    PACK_ZIP_OVERLAP,
    PACK_ZIP_PREFIX,
    PACK_ZIP_TRAILING,
    PACK_ZIP_CRC,
    PACK_ZIP_SIZE,
    PACK_ZIP_DATA,
    PACK_ZIP_METHOD,
    PACK_ZIP_ENCRYPTED,
    PACK_ZIP_64,
    PACK_ZIP_NAME,
    PACK_ZIP_HIDDEN, /* a local entry that the directory does not list */
    /* limits */
    PACK_LIMIT_UNPACKED,
    PACK_LIMIT_FILES,
    PACK_LIMIT_FILE,
    PACK_LIMIT_DEPTH,
    PACK_LIMIT_RATIO,
    /* notices about a whole archive that is usable */
    PACK_TAR_ONE_ZERO_BLOCK,
    PACK_TAR_NO_END,
    PACK_GZIP_ZERO_PADDING,
    PACK_FAULT_COUNT
};

enum pack_entry_fact {
    PACK_F_DOT_SLASH = 1, /* name began with ./ */
    PACK_F_PAX = 2,       /* PAX or GNU long-name header in front */
    PACK_F_LONG_NAME = 4, /* over 100 bytes */
    PACK_F_MTIME = 8,     /* a time other than 0 / 1980-01-01 */
    PACK_F_OWNER = 16,    /* an owner or group other than 0 or empty */
    PACK_F_EXEC = 32,     /* an x bit */
    PACK_F_SETID = 64,    /* setuid, setgid or sticky */
    PACK_F_VOUCHED = 128  /* never by a reader: a publisher says that what looks like a secret in it is none */
};

struct pack_entry {
    struct pack_entry *next;
    struct pap_str raw_name; /* as stored; a NUL inside stays */
    struct pap_str name;     /* without leading ./ and, for a folder, the closing / */
    enum pack_type type;
    struct pap_str link; /* target of a link */
    struct pap_str data; /* content of a file, with a NUL behind it */
    unsigned facts;      /* enum pack_entry_fact */
    uint32_t mode;       /* permission bits; 0 when the archive has none */
};

struct pack {
    enum pack_format format;
    struct pack_entry *entries; /* in stored order, directories and links included; not the root ("./") */
    size_t n_entries, n_files;
    uint64_t unpacked;         /* bytes of all files */
    enum pack_fault fault;     /* the one that made reading stop, PACK_WHOLE when the archive was read whole */
    struct pap_str fault_name; /* the entry it happened at; may be empty */
    struct pap_str fault_text; /* one sentence with both values where there are two */
    unsigned notices;          /* PACK_NOTICE() bits */
    bool gzip_time;            /* the gzip header holds a time or a name */
};

#define PACK_NOTICE(fault) (1u << ((fault)-PACK_TAR_ONE_ZERO_BLOCK))

/* `unpacked` holds for the sum of what entries cost: their size, LIMIT_ARCHIVE_CHARGE at least. `files` counts regular
 * files; folders and links are bounded by what they cost. */
struct pack_limits {
    uint64_t unpacked, file;
    uint32_t files, depth;
};
extern const struct pack_limits pack_limits_default; /* from base/limits.h */

/* Format by magic bytes (R-A1). */
enum pack_format pack_sniff(struct pap_str bytes);

/* Reads all of it into the arena (contents too), stopping at the first fault; then the entries are those before it. A
 * `format` other than PACK_UNKNOWN must agree with the magic bytes; `limits` NULL means the default. Failure result:
 * out of memory only. Memory: the entries, and some 200 kB while reading. */
pap_result pack_read(struct arena *a, struct pap_str bytes, enum pack_format format, const struct pack_limits *limits,
                     struct pack *ret) PAP_MUST;

/* What is wrong with an entry's name for a client on any system (R-A3, R-ARC-1), as a phrase ("climbs out with ..", "is
 * absolute", "holds a backslash" ...); NULL when nothing is. Pure. */
const char *pack_name_fault(struct pap_str name);

/* Files that other systems leave behind, which clients skip (R-A8): .DS_Store, ._*, __MACOSX. */
bool pack_is_junk(struct pap_str name);

/* "a symbolic link" ... */
const char *pack_type_noun(enum pack_type t);

/* Two entries of which a file system can keep only one. */
struct pack_collision {
    const struct pack_entry *first, *second; /* in stored order; NULL when nothing collides */
    const char *why;                         /* "have the same name" ... */
};

/* The first entry that collides with one before it (R-A7, R-ARC-2, R-ARC-8): the same name, one that differs in case or
 * Unicode form only, or a file where a folder is needed; parents that only a path implies count. Time n log n. */
pap_result pack_find_collision(struct arena *scratch, const struct pack *p, struct pack_collision *ret) PAP_MUST;

/* A stable word for a fault, such as "gzip-crc". */
const char *pack_fault_name(enum pack_fault f);

#endif
