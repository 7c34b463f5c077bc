import { componentUserIn, nodeNameExtra } from '#api/access/component-users.ts'
import { systemLabels as labels } from '#api/access/managed.ts'
import type { ValidatingAdmissionPolicy } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { names } from '#features/vmi/index.ts'

type PolicySpec = NonNullable<ValidatingAdmissionPolicy['spec']>

interface AgentPolicy {
  readonly name: string
  readonly resources: readonly string[]
  readonly apiGroup: string
  readonly variables: NonNullable<PolicySpec['variables']>
  readonly validations: NonNullable<PolicySpec['validations']>
}

/**
 * Keys of labels and annotations that the system writes. Any key of its domains is allowed, so that
 * virt-handlers of two releases can report with the policies of either.
 */
const ownKeys = '^([a-z0-9.-]+[.])?(kubevirt|steadyvm)[.]io/'

/**
 * Policies that restrict a virt-handler to its own node, as all virt-handlers share one account: a
 * compromised node cannot take over other nodes or their guests. The administrator applies them
 * with the operator, which has no right to change them. The API server of machine mode does the
 * same in its plugin NodeRestriction. The node is that of the pod to which the token is bound, an
 * attribute that Kubernetes 1.31 and later add to the user. Pure.
 */
export function agentPolicies(namespace: string): readonly KubeObject[] {
  return [nodes, guests].flatMap(({ name, apiGroup, resources, variables, validations }) => {
    const spec: PolicySpec = {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [apiGroup], apiVersions: ['*'], operations: ['UPDATE'], resources: [...resources] }],
      },
      matchConditions: [
        { name: 'virt-handler', expression: `request.userInfo.username == '${componentUserIn(namespace, 'virt-handler')}'` },
      ],
      variables: [{ name: 'node', expression: nodeOfRequest }, ...variables],
      validations: [
        {
          expression: `variables.node != ''`,
          message: 'the token does not name a node: virt-handler needs one that is bound to its pod, from Kubernetes 1.31 or later',
          reason: 'Forbidden',
        },
        ...validations.map((validation) => ({ ...validation, reason: 'Forbidden' as const })),
      ],
    }
    const apiVersion = 'admissionregistration.k8s.io/v1'
    return [
      { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name, labels }, spec } as KubeObject,
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name, labels },
        spec: { policyName: name, validationActions: ['Deny'] },
      } as KubeObject,
    ]
  })
}

/** CEL: name of the node in the user's attributes, or an empty string. */
const nodeOfRequest = `has(request.userInfo.extra) && '${nodeNameExtra}' in request.userInfo.extra && request.userInfo.extra['${nodeNameExtra}'].size() > 0 ? request.userInfo.extra['${nodeNameExtra}'][0] : ''`

const nodes: AgentPolicy = {
  name: 'nodes.virt-handler.steadyvm.io',
  apiGroup: '',
  resources: ['nodes', 'nodes/status'],
  variables: (['labels', 'annotations'] as const).flatMap((field) => [
    { name: field, expression: mapAt('object', field) },
    { name: `old${field}`, expression: mapAt('oldObject', field) },
  ]),
  validations: [
    {
      expression: 'request.name == variables.node',
      messageExpression: `'virt-handler of node ' + variables.node + ' is not allowed to modify node ' + request.name`,
    },
    {
      expression: `object.spec == oldObject.spec && ${['status', 'metadata.ownerReferences', 'metadata.finalizers'].map(isKept).join(' && ')}`,
      message: 'virt-handler is only allowed to modify labels and annotations of its node',
    },
    ...(['labels', 'annotations'] as const).map((field) => ({
      expression: onlyOwnChanges(field),
      message: `virt-handler is only allowed to modify ${field} of kubevirt.io and steadyvm.io`,
    })),
  ],
}

const guests: AgentPolicy = {
  name: 'guests.virt-handler.steadyvm.io',
  apiGroup: 'kubevirt.io',
  resources: ['virtualmachineinstances', 'virtualmachineinstances/status', 'virtualmachineinstances/finalizers'],
  variables: [],
  validations: [
    {
      expression: [
        'oldObject.?status.nodeName',
        `oldObject.metadata.?labels['${names.nodeNameLabel}']`,
        'oldObject.?status.migrationState.sourceNode',
        'oldObject.?status.migrationState.targetNode',
      ]
        .map((path) => `${path}.orValue('') == variables.node`)
        .join(' || '),
      messageExpression: `'virt-handler of node ' + variables.node + ' is not allowed to modify ' + request.name + ', which is not on it'`,
    },
  ],
}

/** CEL: map in the metadata of an object, empty if it has none. */
function mapAt(object: string, field: string): string {
  return `has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {}`
}

/** CEL: whether an optional field of the object stays as it is. */
function isKept(path: string): string {
  return `has(object.${path}) == has(oldObject.${path}) && (!has(object.${path}) || object.${path} == oldObject.${path})`
}

/** CEL: whether all entries that differ between a map and its old value have a key of ours. */
function onlyOwnChanges(field: string): string {
  const isOwn = `k.matches('${ownKeys}')`
  const isKeptEntry = `k in variables.old${field} && variables.${field}[k] == variables.old${field}[k]`
  return `variables.${field}.all(k, ${isOwn} || ${isKeptEntry}) && variables.old${field}.all(k, ${isOwn} || k in variables.${field})`
}
