import type { TelemetryRecord } from '../telemetry/record.js';
import { closeRecord, deliverRecords, openRecord, requestRecord } from './exchange-notes.js';
import { NOTE_KINDS, type Note, type NoteNames, noteText, type ReadNote } from './note.js';
import { emitRecord, evictRecord } from './store-notes.js';

/** How this process makes records of its notes. */
export function noteReader(names: NoteNames): ReadNote {
  return (note, token) => (note.kind === NOTE_KINDS.deliver ? deliverRecords(note, token, names) : [oneRecord(note, token, names)]);
}

function oneRecord(note: Note, token: string | null, names: NoteNames): TelemetryRecord {
  switch (note.kind) {
    case NOTE_KINDS.emit:
      return emitRecord(note, token, names);
    case NOTE_KINDS.evict:
      return evictRecord(note, token);
    case NOTE_KINDS.request:
      return requestRecord(note, token, names);
    case NOTE_KINDS.open:
      return openRecord(note, token, names);
    case NOTE_KINDS.close:
      return closeRecord(note, token, names);
    default:
      return note.record ?? JSON.parse(noteText(note));
  }
}
