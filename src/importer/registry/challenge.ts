/** A parsed `WWW-Authenticate` header: what a registry wants to be sent. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer'
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Parses `Bearer realm="https://auth.example.com/token",service="registry"`. Undefined for other
 * schemes. Pure.
 */
export function parseChallenge(header: string | null | undefined): Challenge | undefined {
  const [, name = '', rest = ''] = /^\s*([A-Za-z]+)\s*(.*)$/.exec(header ?? '') ?? []
  const scheme = name.toLowerCase()
  if (scheme !== 'basic' && scheme !== 'bearer') return undefined
  const pairs = [...rest.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)].map(([, key = '', quoted, plain]) => [
    key.toLowerCase(),
    quoted ?? plain ?? '',
  ])
  return { scheme, parameters: Object.fromEntries(pairs) as Record<string, string> }
}
