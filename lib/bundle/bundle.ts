import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** The version that this build writes, and the only one it reads. */
export const BUNDLE_VERSION = 1;
/** Limits of what is read; what is written stays below them or is refused. */
export const BUNDLE_LIMITS = { characters: 128 * 1024 * 1024, depth: 32, records: 200_000 } as const;

const Text = Type.String({ minLength: 1, maxLength: 1024, description: 'text of 1 to 1,024 characters' });
const Instant = Type.String({ maxLength: 40, description: 'an instant as RFC 3339 text' });

/** What a bundle says of its incident. Members it does not know are kept, so that bytes survive a round trip. */
export const BundleIncident = Type.Object(
  {
    title: Text,
    server: Type.Optional(Text),
    severity: Type.Optional(Text),
    state: Type.Optional(Text),
    opened_at: Type.Optional(Instant),
    findings: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), { maxItems: 10_000, description: 'findings, at most 10,000' }),
    ),
    consequences: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10_000, description: 'consequences, at most 10,000' })),
  },
  { additionalProperties: true, description: 'an object' },
);
export type BundleIncident = Type.Static<typeof BundleIncident>;

export const incidentValidator = Compile(BundleIncident);

/** An incident with its evidence. Sessions are references, never tokens. */
export interface Bundle {
  readonly incident: BundleIncident;
  readonly records: readonly TelemetryRecord[];
}

/** What a bundle needs of its surroundings: the core has no hash of its own. */
export interface BundleHashes {
  /** SHA-256 of a UTF-8 text in lower-case hexadecimal digits. */
  readonly sha256: (text: string) => string;
  /** Reference of a session token: a keyed hash of 32 lower-case hexadecimal digits. */
  readonly sessionRef: (server: string, token: string) => string;
}
