import type { Static } from 'typebox';
import type { OidcConfig } from './config';
import type { ConfigProblem } from './config-problem';
import type { ConfigFile } from './file-schema';
import { isLoopback } from './loopback';

type FileContent = Pick<Static<typeof ConfigFile>, 'sign_in'>;

const SCOPES_DEFAULT = ['openid', 'email', 'profile'] as const;

/** What a provider says is believed: it must not come over a wire that others can write on. */
export function openIssuer({ sign_in }: FileContent): ConfigProblem[] {
  const issuer = sign_in?.oidc?.issuer;
  if (issuer === undefined) return [];
  const isKept = URL.canParse(issuer) && (new URL(issuer).protocol === 'https:' || isLoopback(new URL(issuer).hostname));
  return isKept ? [] : [{ code: 'config_invalid', path: 'sign_in.oidc.issuer', message: 'must be an https URL' }];
}

/** The provider of the file; null when it names none. */
export function toOidc({ sign_in }: FileContent): OidcConfig | null {
  if (sign_in?.oidc === undefined) return null;
  const { name, issuer, client_id: clientId, client_secret, scopes, newcomers } = sign_in.oidc;
  return {
    name,
    issuer: issuer.replace(/\/+$/, ''),
    clientId,
    clientSecret: client_secret ?? null,
    scopes: scopes ?? SCOPES_DEFAULT,
    newcomers: newcomers ?? null,
  };
}
