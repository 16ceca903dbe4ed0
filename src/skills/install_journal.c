/* SPDX-License-Identifier: Apache-2.0
 *
 * The journal of a change that was decided: whose it is. A staging folder may come with a repository, a copy or an archive, and one
 * .agents may serve several locks, so that a journal decides nothing unless
 *
 *   - it lies in the folder that it was written into, which is this user's: number and time of birth of that folder stand in
 *     it, and who hands out a repository cannot choose them;
 *   - it is of this very lock;
 *   - the lock and the one that will replace it are still those that it was written for.
 *
 * Its lines: "papaver-install 1", the folder's mark, the digest of the lock before ("none": there was none), that of the lock
 * after, the lock's path below the root.
 */
#include "base/limits.h"
#include "crypto/digest.h"
#include "skills/installing.h"

#define HEAD "papaver-install 1"

enum { JOURNAL_MOST = 8 * 1024 };

static pap_result digest_line(struct pap_str text, char ret[static DIGEST_TEXT + 1], struct pap_skill_err *err)
{
    struct digest d;
    memcpy(ret, "none", 5);
    if (!text.p)
        return OK;
    TRY_OURS(err, digest_sha256(&text, 1, &d, &why));
    digest_text(&d, ret);
    return OK;
}

pap_result install_journal_write(struct pap_install *in, struct pap_str before, struct pap_str after,
                                 struct pap_skill_err *err)
{
    struct buf out __attribute__((cleanup(buf_fini)));
    char mark[BENEATH_MARK], was[DIGEST_TEXT + 1], will[DIGEST_TEXT + 1];
    buf_init(&out, in->arena.alloc, JOURNAL_MOST);
    TRY_OURS(err, beneath_write(in->root, INSTALL_NEXT, after, false, &why)); /* which makes the folder */
    TRY_OURS(err, beneath_mark(in->root, INSTALL_STAGING, mark, &why));
    TRY(digest_line(before, was, err));
    TRY(digest_line(after, will, err));
    buf_fmt(&out, HEAD "\n%s\n%s\n%s\n%s", mark, was, will, in->lock_path);
    TRY_OURS(err, buf_result(&out, &why));
    TRY_OURS(err, beneath_write(in->root, INSTALL_JOURNAL ".new", buf_str(&out), false, &why));
    TRY_OURS(err, beneath_sync(in->root, &why));
    TRY_OURS(err, beneath_move(in->root, INSTALL_JOURNAL ".new", INSTALL_JOURNAL, &why));
    return OK;
}

/* ---- judging one that was found ---- */

struct journal {
    struct pap_str mark, before, after, lock;
};

static bool parse(struct pap_str text, struct journal *ret)
{
    struct pap_str head, rest = text;
    bool right = str_next(&rest, '\n', &head) && str_is(head, HEAD) && str_next(&rest, '\n', &ret->mark) &&
                 str_next(&rest, '\n', &ret->before) && str_next(&rest, '\n', &ret->after);
    ret->lock = rest;
    return right && rest.p && rest.n;
}

static pap_result refuse_stranger(const struct pap_install *in, struct pap_skill_err *err)
{
    return refuse(
        err, SKILL_LOCK_MISMATCH,
        "%s/" INSTALL_STAGING " says that a change of skills was cut off, but papaver did not leave it here "
        "for you: it came with the folder or a copy of it, or is another user's; nothing of it is done. Delete "
        "that folder, then run this again",
        in->folder);
}

/* How the lock would be named to the program. */
static pap_result refuse_other(const struct pap_install *in, struct pap_str lock, struct pap_skill_err *err)
{
    bool user = str_is(lock, INSTALL_USER_LOCK), here = strcmp(in->folder, ".") == 0;
    return refuse(err, SKILL_LOCK_MISMATCH,
                  "a change of the lock %s/%.*s was cut off here, and has to be finished first: papaver skill update "
                  "%s%s%s%.*s. (Or delete %s/" INSTALL_STAGING " to forget it)",
                  in->folder, PSTR(lock), user ? "--user" : "--lock ", user || here ? "" : in->folder,
                  user || here ? "" : "/", PSTR(user ? S("") : lock), in->folder);
}

static pap_result refuse_moved(const struct pap_install *in, struct pap_skill_err *err)
{
    return refuse(err, SKILL_LOCK_MISMATCH,
                  "a change of %s was cut off, and the lock is another one since: bring the lock back as it was, or "
                  "delete %s/" INSTALL_STAGING " to forget the change, then run this again",
                  in->shown, in->folder);
}

pap_result install_journal_judge(struct pap_install *in, struct arena *a, bool *ret_decided, struct pap_skill_err *err)
{
    struct journal j;
    struct pap_str text, now, next;
    char mark[BENEATH_MARK], was[DIGEST_TEXT + 1], will[DIGEST_TEXT + 1];
    *ret_decided = false;
    TRY_OURS(err, beneath_read(a, in->root, INSTALL_JOURNAL, JOURNAL_MOST, &text, &why));
    if (!text.p)
        return OK;
    TRY_OURS(err, beneath_mark(in->root, INSTALL_STAGING, mark, &why));
    if (!parse(text, &j) || !*mark || !str_is(j.mark, mark))
        return refuse_stranger(in, err);
    if (!str_is(j.lock, in->lock_path))
        return refuse_other(in, j.lock, err);
    TRY_OURS(err, beneath_read(a, in->root, in->lock_path, LIMIT_LOCK, &now, &why));
    TRY_OURS(err, beneath_read(a, in->root, INSTALL_NEXT, LIMIT_LOCK, &next, &why));
    TRY(digest_line(now, was, err));
    TRY(digest_line(next, will, err));
    if (!next.p && str_is(j.after, was)) /* all was done but for clearing up */
        return OK;
    if (!str_is(j.before, was) || !str_is(j.after, will))
        return refuse_moved(in, err);
    *ret_decided = true;
    return OK;
}
