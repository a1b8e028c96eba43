import { createHash } from 'node:crypto';
import { PRESET_RULES } from '@/lib/alerting/presets';
import { CHANNEL_TYPES } from '@/lib/alerting/render';
import { type Rule, type RuleInput, ruleOf } from '@/lib/alerting/rule';
import type { Channel } from '@/lib/delivery/channel';
import type { Seal } from '@/lib/delivery/seal';

export type Origin = 'preset' | 'config' | 'api';

export interface RuleEntry {
  readonly input: RuleInput;
  readonly rule: Rule;
  readonly origin: Origin;
}

export interface ChannelEntry {
  readonly channel: Channel;
  readonly origin: Exclude<Origin, 'preset'>;
}

/** What people set up through the API, as the registry reads it. */
export interface Setup {
  readonly rules: () => Promise<readonly RuleInput[]>;
  readonly channels: () => Promise<readonly { readonly name: string; readonly type: string; readonly sealed: string }[]>;
}

export interface Provisioned {
  readonly rules: readonly RuleInput[];
  readonly channels: readonly Channel[];
}

/**
 * All rules and channels by name. The configuration file wins over what was made through the API, which wins
 * over presets: a preset is changed or switched off by a rule of its name.
 */
export class AlertRegistry {
  readonly #setup: Setup;
  readonly #provisioned: Provisioned;
  readonly #seal: Seal;

  constructor(setup: Setup, provisioned: Provisioned, seal: Seal) {
    this.#setup = setup;
    this.#provisioned = provisioned;
    this.#seal = seal;
  }

  async ruleEntries(): Promise<ReadonlyMap<string, RuleEntry>> {
    const entries = new Map<string, RuleEntry>();
    const add = (inputs: readonly RuleInput[], origin: Origin): void => {
      for (const input of inputs) entries.set(input.name, { input, rule: ruleOf(input), origin });
    };
    add(PRESET_RULES, 'preset');
    add(await this.#setup.rules(), 'api');
    add(this.#provisioned.rules, 'config');
    return entries;
  }

  async rules(): Promise<Rule[]> {
    return [...(await this.ruleEntries()).values()].map(({ rule }) => rule);
  }

  async channelEntries(): Promise<ReadonlyMap<string, ChannelEntry>> {
    const entries = new Map<string, ChannelEntry>();
    for (const { name, type, sealed } of await this.#setup.channels()) {
      entries.set(name, { channel: unsealed(name, type, this.#seal.open(sealed, name)), origin: 'api' });
    }
    for (const channel of this.#provisioned.channels) entries.set(channel.name, { channel, origin: 'config' });
    return entries;
  }

  async channels(): Promise<ReadonlyMap<string, Channel>> {
    return new Map([...(await this.channelEntries())].map(([name, { channel }]) => [name, channel]));
  }

  /** The form in which a channel is stored. */
  sealed({ name, url, secret, previous }: Channel): string {
    return this.#seal.seal(JSON.stringify({ url, secret, previous }), name);
  }
}

/** Names an address without saying it. */
export const targetOf = ({ type, url }: Channel): string => createHash('sha256').update(`${type} ${url}`).digest('hex').slice(0, 32);

function unsealed(name: string, type: string, text: string): Channel {
  const known = CHANNEL_TYPES.find((candidate) => candidate === type);
  if (known === undefined) throw new RangeError(`the stored channel ${name} has the unknown type ${type}`);
  // Sealed by this class: nobody without the key can have written it.
  return { name, type: known, ...(JSON.parse(text) as Pick<Channel, 'url' | 'secret' | 'previous'>) };
}
