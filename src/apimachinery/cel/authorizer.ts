import type { CelValue } from './values/values.ts'

/** One question of an expression to the authorizer: about a path, or about a resource. */
export interface CelAccessCheck {
  readonly verb: string
  /** The service account that it is about; without, it is the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

/** Decision of the authorizer about one access check. */
export interface CelAccessDecision {
  readonly allowed: boolean
  readonly reason: string
  /** Error that prevented a decision. */
  readonly error?: string
}

/** Answers at once: expressions cannot wait. */
export type CelAuthorizer = (check: CelAccessCheck) => CelAccessDecision

/** State of `authorizer` and of the checks built from it. */
export interface CheckState {
  readonly authorize: CelAuthorizer
  readonly check: Omit<CelAccessCheck, 'verb'>
}

function opaqueValue(name: string, value: unknown): CelValue {
  return { kind: 'opaque', typeName: `kubernetes.authorization.${name}`, value, equals: (other) => other === value }
}

/** The variable `authorizer`. */
export function authorizerValue(authorize: CelAuthorizer): CelValue {
  return opaqueValue('Authorizer', { authorize, check: {} } satisfies CheckState)
}

/** `authorizer.requestResource`: a check of the resource that a request is about. */
export function resourceCheckValue(authorize: CelAuthorizer, check: Omit<CelAccessCheck, 'verb'>): CelValue {
  return opaqueValue('ResourceCheck', { authorize, check } satisfies CheckState)
}

/** One step of a check further. */
export function checkValue(name: 'Authorizer' | 'PathCheck' | 'GroupCheck' | 'ResourceCheck', state: CheckState): CelValue {
  return opaqueValue(name, state)
}

/** The answer, as expressions see it. */
export function decisionValue(decision: CelAccessDecision): CelValue {
  return opaqueValue('Decision', decision)
}
