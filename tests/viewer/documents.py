# SPDX-License-Identifier: Apache-2.0
"""documents.py PAGE TRACE: a page and a Perfetto trace of one job are read back, byte by byte, and
must hold the same intervals, events and verdict. Prints how many of each."""

import html.parser
import json
import struct
import sys


class Page(html.parser.HTMLParser):
    """What stands in which element, and that each is closed."""

    VOID = {"meta", "br", "img", "link", "input"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.data, self.scripts = [], "", 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag not in {"img", "link", "iframe", "object"}, tag
        assert not {"src", "href", "onerror", "onload"} & set(attrs), attrs
        if tag not in self.VOID:
            self.open.append((tag, attrs.get("id")))
        self.scripts += tag == "script"

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()[0] == tag, "not closed before </%s>" % tag

    def handle_data(self, data):
        if self.open and self.open[-1] == ("script", "data"):
            self.data += data


def read_page(path):
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    assert not page.open and page.scripts == 2
    return json.loads(page.data)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a message: varints and fixed64 as int, the rest as bytes."""
    at, out = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            assert wire == 2, "wire type %d" % wire
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut off"
        out.append((tag >> 3, value))
    return out


def one(message, number, default=None):
    found = [value for field, value in message if field == number]
    assert len(found) <= 1, "field %d is there %d times" % (number, len(found))
    return found[0] if found else default


def read_trace(path):
    """Intervals and instants by process, flows, names of tracks."""
    tracks, names, processes = {}, {}, {}
    slices, instants, begun, flows = [], [], {}, {}
    ended = set()
    for number, packet in fields(open(path, "rb").read()):
        assert number == 1
        packet = fields(packet)
        assert one(packet, 10) == 1
        interned = one(packet, 12)
        for field, entry in fields(interned) if interned else []:
            entry = fields(entry)
            assert field == 2 and one(entry, 1) not in names
            names[one(entry, 1)] = one(entry, 2).decode()
        descriptor = one(packet, 60)
        if descriptor is not None:
            descriptor = fields(descriptor)
            uuid, process = one(descriptor, 1), one(descriptor, 3)
            assert uuid and uuid not in tracks
            tracks[uuid] = one(descriptor, 5, uuid)
            if process is not None:
                assert one(fields(process), 1) not in processes.values()
                processes[uuid] = one(fields(process), 1)
            else:
                assert tracks[uuid] in processes, "a track before its process"
            continue
        when, event = one(packet, 8), fields(one(packet, 11))
        track, kind, number = one(event, 11), one(event, 9), one(event, 10)
        name = names[number] if number else (one(event, 23) or b"").decode()
        place = processes[tracks[track]]
        notes = {one(fields(a), 10).decode(): one(fields(a), 6).decode()
                 for field, a in event if field == 4}
        if kind == 1:
            assert track not in begun, "an interval inside of another"
            assert place not in ended or notes["does"] == "no data", \
                "an interval behind what goes on at the end"
            begun[track] = (place, when, name, notes)
        elif kind == 2:
            place, start, name, notes = begun.pop(track)
            slices.append([place, start, when, name, notes])
            if "end" in notes:
                ended.add(place)
        else:
            assert kind == 3
            instants.append((place, when, name, notes))
            for field, value in event:
                if field in (47, 48):
                    flows.setdefault(value, {})[field] = (place, when)
    assert not begun, "an interval has no end"
    return slices, instants, flows


def main():
    page, (slices, instants, flows) = read_page(sys.argv[1]), read_trace(sys.argv[2])
    assert page["short"] == 0
    lengths, events, texts = [], 0, page["texts"]
    for row in page["rows"]:
        at = 0
        assert len(row["spans"]) % 5 == 0 and len(row["events"]) % 4 == 0
        for i in range(0, len(row["spans"]), 5):
            gap, took, state, name, cite = row["spans"][i:i + 5]
            start = at + gap
            at = start + took
            assert at <= page["span"], "behind the end of the job's time"
            says = page["states"][state & 255][0]
            rest = {row["spans"][k + 2] & 255 for k in range(i + 5, len(row["spans"]), 5)}
            assert not state & 256 or rest <= {0}, "it goes on, and then something else does"
            lengths.append((start, at, bool(state & 256), texts[name] or says, texts[cite], says))
        events += len(row["events"]) // 4
    begin = min((start for _, start, _, _, _ in slices), default=0)
    shift = begin - min((start for start, *_ in lengths), default=0)
    theirs = sorted(((start - shift, end - shift, "end" in notes, name, notes.get("cite", ""),
                      notes["does"])
                     for _, start, end, name, notes in slices), key=str)
    ours = sorted(lengths, key=str)
    for a, b in zip(ours, theirs):
        assert a == b, "the page has %r, the trace %r" % (a, b)
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    verdicts = [(name, notes) for place, _, name, notes in instants if place == 1]
    assert [name for name, _ in verdicts] == [page["headline"]], verdicts
    assert verdicts[0][1]["class"] == page["class"]
    seen = [tuple(states[1:]) for states in page["states"]]
    for ground in (0, 1):
        assert len({pair[ground] for pair in seen}) == len(seen), "two states have one colour"
    for ends in flows.values():
        assert set(ends) == {47, 48} and ends[47][1] < ends[48][1], "a flow goes backwards"
    points = [i for i in instants if i[0] != 1 and i[3]]
    assert len(points) == events, (len(points), events)
    print("%d intervals, %d events, %d flows" % (len(ours), events, len(flows)))


main()
