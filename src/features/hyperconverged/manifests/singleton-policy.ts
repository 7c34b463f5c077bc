import { systemLabels as labels } from '#api/access/managed.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

const name = 'singleton.hyperconverged.steadyvm.io'
const apiVersion = 'admissionregistration.k8s.io/v1'

/**
 * Allows a HyperConverged object under one name in one namespace only: another one would be
 * accepted and ignored. A policy and no webhook, so that it also holds without the operator. Pure.
 */
export function singletonPolicy(key: { readonly namespace: string; readonly name: string }): readonly KubeObject[] {
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['hco.kubevirt.io'],
              apiVersions: ['*'],
              operations: ['CREATE'],
              resources: ['hyperconvergeds'],
              scope: 'Namespaced',
            },
          ],
        },
        validations: [
          {
            expression: `request.namespace == '${key.namespace}' && object.metadata.?name.orValue('') == '${key.name}'`,
            message: `one HyperConverged object configures the cluster: create it as "${key.name}" in the namespace "${key.namespace}"`,
            reason: 'Forbidden',
          },
        ],
      },
    } as KubeObject,
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels },
      spec: { policyName: name, validationActions: ['Deny'] },
    } as KubeObject,
  ]
}
