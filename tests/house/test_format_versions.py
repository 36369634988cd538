"""Planted changes of members and versions that format_versions.py finds."""

import json
import unittest

from format_versions import COLUMNS, members, now, problems, stays_behind, unlike_the_table

TABLE = '    {"platter-model", {1, 0}},\n    {"platter-replay-result", {1, 0}},\n    {"platter-study", {1, 0}},\n'
SOURCES = {path: 'constexpr std::string_view kColumnNames =\n    "part,op,lbn";\n' for path in COLUMNS.values()}


def head(name):
    return {"properties": {"name": {"const": name}, "version": {"pattern": "^1\\.[0-9]+$"}}}


def small():
    return {
        "platter-definitions": {"$defs": {"place": {"properties": {"head": {}}}}},
        "platter-progress": {"properties": {"share": {}}},
        "platter-replay-result": {"properties": {"schema": head("platter-replay-result")}},
        "platter-model": {
            "properties": {"schema": head("platter-model"), "layout": {"$ref": "#/$defs/node"},
                           "place": {"$ref": "platter-definitions.json#/$defs/place"}},
            "$defs": {"node": {"properties": {"children": {"items": {"$ref": "#/$defs/node"}}, "count": {}}}}}}


class FormatVersions(unittest.TestCase):
    def test_members_are_told_by_their_paths(self):
        self.assertEqual(members(small(), "platter-model", small()["platter-model"]),
                         {"schema", "schema.name", "schema.version", "layout", "layout.children", "layout.count",
                          "place", "place.head"})

    def changed(self, change, table=TABLE, sources=None):
        schemas = json.loads(json.dumps(small()))
        change(schemas)
        return problems(now(TABLE, small(), SOURCES), now(table, schemas, sources or SOURCES))

    def test_members_that_move_without_their_version_are_found(self):
        def more(schemas):
            schemas["platter-model"]["$defs"]["node"]["properties"]["colour"] = {}

        def less(schemas):
            del schemas["platter-definitions"]["$defs"]["place"]["properties"]["head"]

        self.assertEqual(self.changed(lambda schemas: None), [])
        for change in (more, less):
            [said] = self.changed(change)
            self.assertIn("the members of the model changed: raise its minor in src/model/formats.h", said)
            self.assertIn("--write", said)

    def test_a_column_is_a_member_at_its_place(self):
        for text in ("part,op,lbn,colour", "part,lbn,op"):
            changed = {path: source.replace("part,op,lbn", text) for path, source in SOURCES.items()}
            [said] = self.changed(lambda schemas: None, sources=changed)
            self.assertIn("the members of the replay result changed", said)

    def test_a_version_that_was_raised_is_to_be_written_down(self):
        def more(schemas):
            schemas["platter-model"]["properties"]["colour"] = {}

        table = TABLE.replace('"platter-model", {1, 0}', '"platter-model", {1, 1}')
        [said] = self.changed(more, table)
        self.assertIn("was 1.0 and is 1.1", said)
        schemas = small()
        more(schemas)
        self.assertEqual(stays_behind(now(TABLE, small(), SOURCES), now(table, schemas, SOURCES)), [])
        self.assertEqual(len(stays_behind(now(TABLE, small(), SOURCES), now(TABLE, schemas, SOURCES))), 1)

    def test_a_format_that_comes_or_goes_is_found(self):
        kept = now(TABLE, small(), SOURCES)
        rest = {name: one for name, one in kept.items() if name != "platter-model"}
        self.assertIn("is new", problems(rest, kept)[0])
        self.assertIn("is gone", problems(kept, rest)[0])

    def test_schemas_and_versions_go_together(self):
        self.assertEqual(unlike_the_table(TABLE, small()), [])
        [said] = unlike_the_table(TABLE.replace('"platter-model", {1, 0}', '"platter-model", {2, 0}'), small())
        self.assertIn("does not have the pattern", said)
        [said] = unlike_the_table(TABLE + '    {"platter-other", {1, 0}},\n', small())
        self.assertIn("has no schema", said)
        [said] = unlike_the_table(TABLE.replace('    {"platter-model", {1, 0}},\n', ""), small())
        self.assertIn("is of no format", said)


if __name__ == "__main__":
    unittest.main()
