/** For how long a certificate is valid, and how long before its end it is renewed. Milliseconds. */
export interface Term {
  readonly durationMs: number
  readonly renewBeforeMs: number
}

/** Lifetimes of an authority and of its certificates. */
export interface Terms {
  readonly ca: Term
  readonly server: Term
  /**
   * Milliseconds until verifiers have read a new authority, when they cannot be asked. Default 0.
   */
  readonly settleMs?: number
}

/** Renewal data of a certificate. Times in milliseconds since the epoch. */
export interface KnownCertificate {
  readonly pem: string
  /** Certificates are valid from some minutes before, for clocks that are behind. */
  readonly issuedAt: number
  readonly notAfter: number
}

/** A certificate stored with its key. */
export interface KeptCertificate extends KnownCertificate {
  /** True if it must be replaced regardless of its expiry. */
  readonly isOutdated: boolean
}

/** Observed authority and certificates. */
export interface CertificatesObservation {
  /** Undefined: there is none that could be used. */
  readonly authority: KeptCertificate | undefined
  /** Published trusted authorities, newest first. */
  readonly bundle: readonly KnownCertificate[]
  /** Time of the last change of the bundle; undefined: long ago. */
  readonly publishedAt?: number
  readonly leaves: readonly {
    readonly name: string
    readonly certificate: (KeptCertificate & { readonly signer: KnownCertificate | undefined }) | undefined
  }[]
}

/** The next action. One at a time: the following one is decided from the resulting state. */
export type CertificatesStep =
  | { readonly do: 'make-authority' }
  | { readonly do: 'publish'; readonly bundle: readonly string[] }
  | { readonly do: 'issue'; readonly name: string }
  | { readonly do: 'rest'; readonly recheckAfterMs: number }

/** Minimum overlap: servers need a moment to load a new certificate. */
const leastOverlapMs = 60_000
/** Limit against clock changes, and timers that overflow after some weeks. */
const longestRestMs = 3_600_000
const mostAuthorities = 8

/**
 * Decides the next action: create a new authority in time, publish it beside the old ones, and only
 * then issue certificates with it. Old authorities stay trusted until all their certificates have
 * been replaced. Pure, and derived from stored state alone, so that it can be interrupted between
 * any two steps.
 */
export function decideRotation(observation: CertificatesObservation, terms: Terms, now: number): CertificatesStep {
  const { authority, bundle, leaves, publishedAt = 0 } = observation
  if (authority === undefined || authority.isOutdated || dueAt(authority, terms.ca) <= now) return { do: 'make-authority' }
  const dropAt = authority.issuedAt + Math.max(terms.ca.renewBeforeMs, leastOverlapMs)
  const inUse = new Set(leaves.map(({ certificate }) => certificate?.signer?.pem))
  const older = bundle.filter(({ pem, notAfter }) => pem !== authority.pem && notAfter > now && (now < dropAt || inUse.has(pem)))
  const wanted = [authority, ...older].slice(0, mostAuthorities).map(({ pem }) => pem)
  if (wanted.join('') !== bundle.map(({ pem }) => pem).join('')) return { do: 'publish', bundle: wanted }
  const due = leaves.find(({ certificate }) => leafDueAt(certificate, authority, terms) <= now)
  if (due !== undefined) {
    const settledAt = publishedAt + (terms.settleMs ?? 0)
    const isUsable = due.certificate?.signer !== undefined && due.certificate.notAfter > settledAt
    return isUsable && settledAt > now ? { do: 'rest', recheckAfterMs: settledAt - now } : { do: 'issue', name: due.name }
  }
  const moments = [
    dueAt(authority, terms.ca),
    ...leaves.map(({ certificate }) => leafDueAt(certificate, authority, terms)),
    ...(older.length === 0 ? [] : [dropAt]),
  ]
  return { do: 'rest', recheckAfterMs: Math.min(longestRestMs, Math.max(1_000, Math.min(...moments) - now)) }
}

/**
 * Renewal time and end of a certificate, in milliseconds since the epoch; 0 for one that is missing
 * or invalid.
 */
export interface Renewal {
  readonly name: string
  readonly dueAt: number
  readonly notAfter: number
}

/**
 * Returns the renewal times of the authority, under this name, and of the certificates that it
 * signs. Pure.
 */
export function renewalsOf(name: string, { authority, leaves }: CertificatesObservation, terms: Terms): readonly Renewal[] {
  const authorityDueAt = authority === undefined || authority.isOutdated ? 0 : dueAt(authority, terms.ca)
  return [
    { name, dueAt: authorityDueAt, notAfter: authority?.notAfter ?? 0 },
    ...leaves.map((leaf) => ({
      name: leaf.name,
      dueAt: leafDueAt(leaf.certificate, authority, terms),
      notAfter: leaf.certificate?.notAfter ?? 0,
    })),
  ]
}

/** Returns 0 for a certificate that must be replaced regardless of its expiry. */
function leafDueAt(leaf: Leaf, authority: KeptCertificate | undefined, terms: Terms): number {
  if (leaf === undefined || authority === undefined || leaf.signer?.pem !== authority.pem || leaf.isOutdated) return 0
  return Math.min(dueAt(leaf, terms.server), authority.notAfter - Math.min(terms.ca.renewBeforeMs, lifeOf(authority) / 2) / 2)
}

type Leaf = CertificatesObservation['leaves'][number]['certificate']

/**
 * One that got less time than it was to get, because its authority ends, is renewed at half of it:
 * or it would be renewed as soon as it is there.
 */
function dueAt(certificate: KnownCertificate, { renewBeforeMs }: Term): number {
  return certificate.notAfter - Math.min(renewBeforeMs, lifeOf(certificate) / 2)
}

function lifeOf({ issuedAt, notAfter }: KnownCertificate): number {
  return notAfter - issuedAt
}
