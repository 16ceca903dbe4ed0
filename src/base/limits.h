/* SPDX-License-Identifier: Apache-2.0
 *
 * Every cap in one list. Bytes unless the name says otherwise. Sources: docs/decisions.md (the project's own) and the
 * specifications named behind a line. A reader that needs another cap adds it here.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

enum {
    LIMIT_JSON_DEPTH = 128,             /* levels of nesting; real OpenAPI documents stay below 40 */
    LIMIT_JSON_KEY = 65535,             /* a member name */
    LIMIT_JSON_VALUES = 1000 * 1000,    /* of one document: each takes 48 bytes of memory, and maybe two of the text */
    LIMIT_DOCUMENT = 1024 * 1024,       /* poppy.json, metadata, index, SKILL.md: hard cap while reading */
    LIMIT_DOCUMENT_GOOD = 64 * 1024,    /* above it agents are known to refuse: a warning */
    LIMIT_OPENAPI = 8 * 1024 * 1024,    /* an OpenAPI document */
    LIMIT_ARTIFACT = 50 * 1024 * 1024,  /* a downloaded artifact */
    LIMIT_UNPACKED = 100 * 1024 * 1024, /* all files of an archive together */
    LIMIT_ARCHIVE_FILES = 1000,         /* files of an archive; folders cost LIMIT_ARCHIVE_CHARGE each */
    LIMIT_ARCHIVE_FILE = 10 * 1024 * 1024,  /* one file of an archive */
    LIMIT_ARCHIVE_DEPTH = 16,               /* folders in a path of an archive */
    LIMIT_ARCHIVE_CHARGE = 4096,            /* what an entry costs at least, so that empty ones are not free */
    LIMIT_ARCHIVE_PAX = 64 * 1024,          /* an extended header (PAX, GNU long name) in front of an entry */
    LIMIT_ARCHIVE_RATIO = 200,              /* unpacked to packed, for files of a zip above ... */
    LIMIT_ARCHIVE_RATIO_FILE = 1024 * 1024, /* ... so many bytes */
    LIMIT_ARCHIVE_PATH = 255,               /* bytes of a whole path */
    LIMIT_MCP_UNPACKED = 16 * 1024 * 1024,  /* what every MCP host takes (skills extension) */
    LIMIT_MCP_FILES = 512,
    LIMIT_FRONTMATTER = 64 * 1024, /* the YAML block of a SKILL.md */
    LIMIT_YAML_DEPTH = 8,          /* levels of nesting in it */
    LIMIT_SKILL_GOOD = 20 * 1024,  /* SKILL.md: above it a warning */
    LIMIT_SKILL_LINES = 500,       /* lines: above it a warning */
    LIMIT_SKILL_FILES = 1000,      /* files that one SKILL.md names and that are looked up */
    LIMIT_SKILL_NAME = 64,         /* characters */
    LIMIT_DESCRIPTION = 1024,      /* characters */
    LIMIT_COMPATIBILITY = 500,     /* characters */
    LIMIT_INDEX_ENTRIES = 1000,    /* skills of an index */
    LIMIT_RELEASES = 100,          /* of one skill (R-VER-2) */
    LIMIT_RANGE = 1024,            /* a range of versions ... */
    LIMIT_RANGE_COMPARATORS = 8,   /* ... and the comparators of one */
    LIMIT_JWKS_KEYS = 20,
    LIMIT_WALK_FILES = 1000 * 1000,   /* files and folders seen below one folder */
    LIMIT_LOCK = 8 * 1024 * 1024,     /* papaver-skills.lock */
    LIMIT_LOCK_SKILLS = 1000,         /* skills in it */
    LIMIT_LOCK_LIST = 32,             /* agents, hosts of one skill */
    LIMIT_REDIRECTS = 5,              /* hops followed */
    LIMIT_REQUESTS = 200,             /* requests of one check, redirects included */
    LIMIT_CHECK_BYTES = 100 << 20,    /* bytes read by one check */
    LIMIT_CHECK_UNPACKED = 300 << 20, /* bytes of archives unpacked by one check */
    LIMIT_CHECK_MS = 60 * 1000,       /* milliseconds of one check */
    LIMIT_THIRD_PARTY_REQUESTS = 20,  /* requests of one check to one host that is not the company's */
    LIMIT_CONNECT_MS = 5 * 1000,      /* milliseconds to connect */
    LIMIT_TOTAL_MS = 30 * 1000,       /* milliseconds of one request */
    LIMIT_LOW_SPEED = 100,            /* bytes a second ... */
    LIMIT_LOW_SPEED_S = 8,            /* ... for so many seconds: given up */
    LIMIT_HEADERS = 64 * 1024,        /* all header fields of one answer */
    LIMIT_URL = 8 * 1024,             /* a URL or a Location */
    LIMIT_HTTP_HEAD = 16 * 1024,      /* request line and header fields of a request to us */
    LIMIT_HTTP_LINE = 8000,           /* one line of them; what nginx takes at most is a little more */
    LIMIT_HTTP_FIELDS = 100,          /* header fields of a request */
    LIMIT_HTTP_CHUNK_LINE = 256,      /* size and extensions of a chunk */
    LIMIT_HTTP_TRAILERS = 4 * 1024,   /* trailer fields of a request together */
    LIMIT_HTTP_BODY = 1024 * 1024,    /* body of a request, unless the server says otherwise */
    LIMIT_LATER = 52 << 20,           /* body of an answer that comes later and is not sent yet: an artifact fits */
    LIMIT_MCP_MESSAGE = 1 << 20,      /* a message of an MCP client */
    LIMIT_MCP_ID = 512,               /* its id */
    LIMIT_MCP_ANSWER = 32 << 20,      /* an answer: 16 MiB in base64, and what stands around it */
    LIMIT_MCP_TEXT = 4 << 20,         /* a resource of more bytes is sent in base64 */
    LIMIT_MCP_RESULT = 1 << 20,       /* text of a skill in the result of a tool */
    LIMIT_MCP_QUEUE = 1000,           /* requests that wait for a thread ... */
    LIMIT_MCP_QUEUED = 16 << 20,      /* ... and their bytes */
    LIMIT_MCP_LISTENERS = 64,         /* subscriptions and streams that are open */
    LIMIT_MCP_SESSIONS = 64,          /* of legacy clients over HTTP; then the longest unused goes */
    LIMIT_MCP_LOADED = 256,           /* skills held; then the longest unused goes */
    LIMIT_HOST_FILES = 20000,         /* files of a tree that is served */
    LIMIT_HOST_BYTES = 512 << 20,     /* and their bytes together, for they are kept in memory */
    LIMIT_HOST_KEPT = 64 << 20,       /* of these, artifacts that are of trees before */
    LIMIT_HOST_RANGES = 16,           /* ranges of one request; more are answered with the whole */
    LIMIT_HOST_MULTIPART = 1 << 20,   /* bytes of several ranges together; more are answered with the whole */
    LIMIT_CACHE = 512 << 20,          /* what the cache keeps on disk, and in memory without a folder ... */
    LIMIT_CACHE_DAYS = 30,            /* ... for so many days since it was last used */
    LIMIT_CACHE_HEAD = 64 * 1024,     /* what the cache writes about a document, and a record of it */
    LIMIT_SPOOL = 1024 * 1024,        /* what is downloaded or unpacked stays in memory up to here */
    LIMIT_HOST_SITES = 100,           /* domains of one server */
    LIMIT_HOST_SCOPES = 64,           /* scopes of a site */
    LIMIT_SCOPE_NAME = 128,           /* a value of Remote-Skills-Scope (remote-skills 4) */
    LIMIT_WEB_REPORTS = 10000,        /* that visitors asked for and are kept; then the oldest go */
    LIMIT_TOKEN = 4096,               /* a bearer token */
    LIMIT_ROBOTS = 500 * 1024,        /* robots.txt; what is behind it is not read (RFC 9309, section 2.5) */
    LIMIT_ROBOTS_RULES = 5000,        /* of it, for us; a file with more allows nothing */
    LIMIT_ROBOTS_KEPT = 8 << 20,      /* rules of all hosts together that the site keeps for a day */
    LIMIT_WEB_PAGE = 32 << 20,        /* an answer of the site */
    LIMIT_WEB_JUDGE = 128 << 20,      /* memory that judging a pasted document may take */
    LIMIT_FINDINGS_PER_ROW = 50,      /* of one row in one document; then one that says how many more there are */
    LIMIT_QUOTE = 200,                /* bytes of an untrusted value quoted in a sentence */
    LIMIT_EXCERPT = 160,              /* bytes of a source line shown under a finding */
    LIMIT_REPORT = 512 << 20,         /* what a report holds back until its end, or writes for one target */
    LIMIT_TARGETS_LISTED = 1000,      /* targets of files that JSON lists; the others are counted */
    LIMIT_BODY_SHOWN = 512,           /* bytes of a body shown with an exchange */
    LIMIT_CENSUS_BODY = 4 << 20,      /* a body that a census keeps; of a larger one only the digest */
    LIMIT_CENSUS_HELD = 32 << 20,     /* what a census holds in memory until it is in the database */
    LIMIT_WATCH = 64 << 20,           /* what a watch remembers, and the body of a webhook */
    LIMIT_WATCH_DIFF = 256 << 10,     /* of a skill, in a webhook; a larger one is left out */
    LIMIT_CENSUS_LINE = 64 * 1024,    /* a line of a list of domains */
    LIMIT_CONFIG = 64 * 1024          /* papaver.json, a baseline is capped by LIMIT_DOCUMENT * 8 */
};

#endif
