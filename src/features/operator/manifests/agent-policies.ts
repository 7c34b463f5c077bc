import { componentUserIn, nodeNameExtra } from '#api/access/component-users.ts'
import { systemLabels as labels } from '#api/access/managed.ts'
import type { ValidatingAdmissionPolicy } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { acceleratorLabel } from '#features/launcher/index.ts'
import { healthNames } from '#features/node-health/index.ts'
import { names } from '#features/vmi/index.ts'

type PolicySpec = NonNullable<ValidatingAdmissionPolicy['spec']>

interface AgentPolicy {
  readonly name: string
  readonly resources: readonly string[]
  readonly apiGroup: string
  readonly variables: NonNullable<PolicySpec['variables']>
  readonly validations: NonNullable<PolicySpec['validations']>
}

/** Labels and annotations of a node that its agent writes: whole keys, and prefixes of keys. */
const agentLabels = {
  keys: [names.schedulableLabel, names.releaseLabel, acceleratorLabel],
  prefixes: ['machine-type.node.kubevirt.io/', 'cpu-model.node.kubevirt.io/'],
}
const agentAnnotations = {
  keys: [healthNames.heartbeatAnnotation, healthNames.wordAnnotation, names.launcherImageAnnotation],
  prefixes: [],
}

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
    {
      expression: onlyChanges('labels', agentLabels),
      message: `virt-handler is only allowed to modify these labels of its node: ${listed(agentLabels)}`,
    },
    {
      expression: onlyChanges('annotations', agentAnnotations),
      message: `virt-handler is only allowed to modify these annotations of its node: ${listed(agentAnnotations)}`,
    },
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

/** CEL: whether all entries that differ between two variables have a key that the agent writes. */
function onlyChanges(field: string, { keys, prefixes }: typeof agentLabels): string {
  const allowed = [`k in [${keys.map((key) => `'${key}'`).join(', ')}]`, ...prefixes.map((prefix) => `k.startsWith('${prefix}')`)].join(
    ' || ',
  )
  const unchanged = (here: string, there: string): string => `k in variables.${there} && variables.${here}[k] == variables.${there}[k]`
  return `variables.${field}.all(k, ${allowed} || ${unchanged(field, `old${field}`)}) && variables.old${field}.all(k, ${allowed} || k in variables.${field})`
}

function listed({ keys, prefixes }: typeof agentLabels): string {
  return [...keys, ...prefixes.map((prefix) => `${prefix}*`)].join(', ')
}
