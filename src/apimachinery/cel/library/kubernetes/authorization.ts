import { type CelAccessCheck, type CelAccessDecision, type CheckState, checkValue, decisionValue } from '#apimachinery/cel/authorizer.ts'
import { CelError } from '#apimachinery/cel/errors.ts'
import { validateName } from '#apimachinery/meta/name-rules.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import type { CelOpaque, CelValue } from '#apimachinery/cel/values/values.ts'
import { sizeOf, traversalFactor } from '../costs.ts'

const stateOf = (value: CelValue | undefined): CheckState => (value as CelOpaque).value as CheckState
const decisionOf = (value: CelValue | undefined): CelAccessDecision => (value as CelOpaque).value as CelAccessDecision

type Target = Parameters<typeof checkValue>[0]

/** A method that refines an access check. */
function narrow(signature: string, target: Target, add: (text: string) => Partial<CelAccessCheck>): Overload {
  return overload(`authorizer_${signature.replace(/\(.*/, '').toLowerCase()}`, signature, ([state, text]) => {
    const { authorize, check } = stateOf(state)
    return checkValue(target, { authorize, check: { ...check, ...add(text as string) } })
  })
}

/** Selectors are read, and a list of requirements is made of them. */
const selector = {
  cost: (args: readonly CelValue[]): number =>
    10 + Math.ceil(sizeOf(args, 1) * traversalFactor) + Math.ceil(Math.ceil(sizeOf(args, 1) * 0.5) * 50),
}

function serviceAccount(namespace: string, name: string): CelAccessCheck['serviceAccount'] {
  const faults = [...validateName(name, 'dns-subdomain'), ...validateName(namespace, 'dns-label')]
  if (faults.length > 0) throw new CelError(`Invalid service account name or namespace: ${faults.join(', ')}`)
  return { namespace, name }
}

/** The cost limit allows two checks per expression. */
const checkCost = { cost: (): number => 350_000 }

function check(receiver: string): Overload {
  return overload(
    `${receiver.toLowerCase()}_check`,
    `${receiver}.check(string): Decision`,
    ([state, verb]) => {
      const { authorize, check: asked } = stateOf(state)
      return decisionValue(authorize({ ...asked, verb: verb as string }))
    },
    checkCost,
  )
}

const deciding: readonly Overload[] = [
  overload('decision_allowed', 'Decision.allowed(): bool', ([decision]) => decisionOf(decision).allowed),
  overload('decision_reason', 'Decision.reason(): string', ([decision]) => decisionOf(decision).reason),
  overload('decision_error', 'Decision.error(): string', ([decision]) => decisionOf(decision).error ?? ''),
  overload('decision_errored', 'Decision.errored(): bool', ([decision]) => decisionOf(decision).error !== undefined),
]

/** Questions to the authorizer. */
export const authorization: readonly Overload[] = [
  narrow('Authorizer.path(string): PathCheck', 'PathCheck', (path) => {
    if (path === '') throw new CelError('path must not be empty')
    return { path }
  }),
  overload('authorizer_serviceaccount', 'Authorizer.serviceAccount(string, string): Authorizer', ([state, namespace, name]) => {
    const { authorize } = stateOf(state)
    const account = serviceAccount(namespace as string, name as string)
    return checkValue('Authorizer', { authorize, check: account === undefined ? {} : { serviceAccount: account } })
  }),
  narrow('Authorizer.group(string): GroupCheck', 'GroupCheck', (group) => ({ group })),
  narrow('GroupCheck.resource(string): ResourceCheck', 'ResourceCheck', (resource) => ({ resource })),
  narrow('ResourceCheck.subresource(string): ResourceCheck', 'ResourceCheck', (subresource) => ({ subresource })),
  narrow('ResourceCheck.namespace(string): ResourceCheck', 'ResourceCheck', (namespace) => ({ namespace })),
  narrow('ResourceCheck.name(string): ResourceCheck', 'ResourceCheck', (name) => ({ name })),
  { ...narrow('ResourceCheck.fieldSelector(string): ResourceCheck', 'ResourceCheck', (fieldSelector) => ({ fieldSelector })), ...selector },
  { ...narrow('ResourceCheck.labelSelector(string): ResourceCheck', 'ResourceCheck', (labelSelector) => ({ labelSelector })), ...selector },
  check('PathCheck'),
  check('ResourceCheck'),
  ...deciding,
]
