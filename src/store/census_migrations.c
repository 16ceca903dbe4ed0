/* SPDX-License-Identifier: Apache-2.0 */
#include "store/migrate.h"

/* The tables of a census. To change one: a row below, never a change of a row that was released; tests/unit/test_store.c
 * walks from each number to the last. All times are Unix seconds.
 *
 * domain is the queue: narrow, for there are a million. state: 0 never good, 1 good, -1 gone. lease is the number of the
 * claim that holds it, or held it last; lease_until is NULL when that one was finished. quiet keeps of a domain that never
 * published one row for each outcome. A site is a domain that published once; slot 1 to 5 is its place on the list among
 * the names of its registrable domain; all that the list is filtered and ordered by stands in one index, so that what does
 * not fit is passed over without its row. Lists of words are " api web ". */
const struct migration census_migrations[] = {
    {1, "domains and when each is due",
     "CREATE TABLE IF NOT EXISTS domain (id {id}, name {text} NOT NULL UNIQUE, registrable {text}, source {text}, rank {int},"
     " added_at {int} NOT NULL, asked_at {int}, due_at {int}, lease {int}, lease_until {int}, lease_owner {text},"
     " opted_out {int}, outcome {small} NOT NULL DEFAULT 0, state {small} NOT NULL DEFAULT 0,"
     " tries {small} NOT NULL DEFAULT 0) {strict};"
     "CREATE INDEX IF NOT EXISTS domain_due ON domain (due_at) WHERE due_at IS NOT NULL;"
     "CREATE INDEX IF NOT EXISTS domain_owner ON domain (lease_owner) WHERE lease_owner IS NOT NULL;"
     "CREATE TABLE IF NOT EXISTS quiet (domain_id {int} NOT NULL REFERENCES domain (id), outcome {small} NOT NULL,"
     " first_at {int} NOT NULL, last_at {int} NOT NULL, PRIMARY KEY (domain_id, outcome)) {keyed}"},
    {2, "sites and what was seen of them",
     "CREATE TABLE IF NOT EXISTS observation (id {id}, domain_id {int} NOT NULL REFERENCES domain (id),"
     " first_at {int} NOT NULL, last_at {int} NOT NULL, outcome {small} NOT NULL, standing {small} NOT NULL,"
     " fingerprint {bytes} NOT NULL, rules {text} NOT NULL, version {text} NOT NULL, channels {text} NOT NULL,"
     " sign_in {text} NOT NULL, skills {int} NOT NULL, skills_where {small} NOT NULL, errors {int} NOT NULL,"
     " warnings {int} NOT NULL, infos {int} NOT NULL, record {bytes}) {strict};"
     "CREATE INDEX IF NOT EXISTS observation_domain ON observation (domain_id, first_at);"
     "CREATE TABLE IF NOT EXISTS finding (observation_id {int} NOT NULL REFERENCES observation (id), rule {text} NOT NULL,"
     " severity {small} NOT NULL, n {int} NOT NULL, PRIMARY KEY (observation_id, rule, severity)) {keyed};"
     "CREATE TABLE IF NOT EXISTS body (digest {bytes} PRIMARY KEY, size {int} NOT NULL, gz {small} NOT NULL,"
     " bytes {bytes} NOT NULL) {strict};"
     "CREATE TABLE IF NOT EXISTS observation_body (observation_id {int} NOT NULL REFERENCES observation (id),"
     " digest {bytes} NOT NULL REFERENCES body (digest), PRIMARY KEY (observation_id, digest)) {keyed};"
     "CREATE INDEX IF NOT EXISTS observation_body_digest ON observation_body (digest);"
     "CREATE TABLE IF NOT EXISTS site (domain_id {int} PRIMARY KEY REFERENCES domain (id), name {text} NOT NULL,"
     " registrable {text} NOT NULL, slot {small}, first_seen {int} NOT NULL, last_seen {int} NOT NULL, listed_at {int},"
     " changed_at {int} NOT NULL, gone_at {int}, outcome {small} NOT NULL, latest {int}, good {int},"
     " fingerprint {bytes} NOT NULL, version {text} NOT NULL, channels {text} NOT NULL, sign_in {text} NOT NULL,"
     " skills {int} NOT NULL, skills_where {small} NOT NULL, errors {int} NOT NULL, warnings {int} NOT NULL,"
     " infos {int} NOT NULL, UNIQUE (registrable, slot)) {strict};"
     "CREATE UNIQUE INDEX IF NOT EXISTS site_name ON site (name);"
     "CREATE INDEX IF NOT EXISTS site_listed ON site (name, version, channels, sign_in, skills, errors, first_seen,"
     " changed_at) WHERE slot IS NOT NULL;"
     "CREATE INDEX IF NOT EXISTS site_first_seen ON site (first_seen, name) WHERE slot IS NOT NULL;"
     "CREATE INDEX IF NOT EXISTS site_changed ON site (changed_at, name) WHERE slot IS NOT NULL;"
     "CREATE INDEX IF NOT EXISTS site_version ON site (version, name) WHERE slot IS NOT NULL;"
     "CREATE INDEX IF NOT EXISTS site_skills ON site (skills, name) WHERE slot IS NOT NULL;"
     "CREATE INDEX IF NOT EXISTS site_errors ON site (errors, name) WHERE slot IS NOT NULL"},
    {3, "counts of each day",
     "CREATE TABLE IF NOT EXISTS daily (what {text} NOT NULL, day {int} NOT NULL, word {text} NOT NULL, n {int} NOT NULL,"
     " PRIMARY KEY (what, day, word)) {keyed}"},
    {4, "reports that visitors asked for",
     "CREATE TABLE IF NOT EXISTS report (name {text} PRIMARY KEY, made_at {int} NOT NULL, outcome {small} NOT NULL,"
     " rules {text} NOT NULL, version {text} NOT NULL, channels {text} NOT NULL, sign_in {text} NOT NULL,"
     " skills {int} NOT NULL, skills_where {small} NOT NULL, errors {int} NOT NULL, warnings {int} NOT NULL,"
     " infos {int} NOT NULL, record {bytes} NOT NULL) {strict};"
     "CREATE INDEX IF NOT EXISTS report_made ON report (made_at);"
     "CREATE TABLE IF NOT EXISTS report_body (name {text} NOT NULL REFERENCES report (name), digest {bytes} NOT NULL"
     " REFERENCES body (digest), PRIMARY KEY (name, digest)) {keyed};"
     "CREATE INDEX IF NOT EXISTS report_body_digest ON report_body (digest)"},
    {0, NULL, NULL},
};
