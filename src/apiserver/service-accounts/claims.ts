import type { UserInfo } from '#apiserver/request/api-request.ts'

/** Name and UID of an object. */
export interface ObjectIdentity {
  readonly name: string
  readonly uid: string
}

/** Account of a token, and the objects it is bound to. */
export interface TokenSubject {
  readonly namespace: string
  readonly serviceaccount: ObjectIdentity
  readonly pod?: ObjectIdentity
  readonly secret?: ObjectIdentity
  /** Node of the pod, or the bound node. A pod's node may not exist and then has no UID. */
  readonly node?: { readonly name: string; readonly uid?: string }
}

/** Claims of a service-account token. Times are seconds since the epoch. */
export interface Claims {
  readonly iss: string
  readonly aud: readonly string[]
  readonly sub: string
  readonly jti?: string
  readonly iat?: number
  readonly nbf: number
  readonly exp: number
  readonly 'kubernetes.io': TokenSubject
}

/** Returns the user name of a service account. */
export function accountUsername(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isIdentity(value: unknown): boolean {
  const { name, uid } = (value ?? {}) as Partial<ObjectIdentity>
  return isText(name) && isText(uid)
}

/**
 * Reports whether signed claims are those of a service account. The key may have signed other
 * documents before.
 */
export function areAccountClaims(claims: Readonly<Record<string, unknown>>): boolean {
  const { sub, aud, nbf, exp } = claims
  const subject = claims['kubernetes.io'] as TokenSubject | undefined
  if (typeof nbf !== 'number' || typeof exp !== 'number' || !Array.isArray(aud) || !aud.every(isText)) return false
  if (typeof subject !== 'object' || subject === null || !isText(subject.namespace) || !isIdentity(subject.serviceaccount)) return false
  if (subject.pod !== undefined && !isIdentity(subject.pod)) return false
  if (subject.secret !== undefined && !isIdentity(subject.secret)) return false
  return sub === accountUsername(subject.namespace, subject.serviceaccount.name)
}

/** Returns the user of a token. */
export function userOfClaims({ jti, 'kubernetes.io': subject }: Claims): UserInfo {
  const { namespace, serviceaccount, pod, node } = subject
  const extra: Record<string, readonly string[]> = {}
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') extra[`authentication.kubernetes.io/${key}`] = [value]
  }
  add('credential-id', jti === undefined ? undefined : `JTI=${jti}`)
  add('node-name', node?.name)
  add('node-uid', node?.uid)
  add('pod-name', pod?.name)
  add('pod-uid', pod?.uid)
  return {
    username: accountUsername(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}
