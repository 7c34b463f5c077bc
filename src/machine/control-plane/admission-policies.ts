import { createHash } from 'node:crypto'
import { componentNamespace, componentUser } from '#api/access/component-users.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from '#api/admissionregistration/v1/resources.ts'
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'

/** Hash of the content that an object was written with. */
const HASH_ANNOTATION = 'steadyvm.io/manifest-hash'

const isLabelled = (object: string): string =>
  `(has(${object}.metadata.labels) && 'kubevirt.io' in ${object}.metadata.labels && ${object}.metadata.labels['kubevirt.io'] in ['virt-launcher', 'hotplug-disk'])`
const usesImage = (list: string): string => `${list}.exists(c, has(c.image) && c.image.matches('(^|/)virt-launcher([:@]|$)'))`

/**
 * Reserves launcher pods for virt-controller: the kubelet runs them, and so QEMU, as its own user.
 * Other users who may update such a pod can neither change its image nor turn another pod into one.
 */
const launcherPods: PolicyRules = {
  name: 'launcher-pods.steadyvm.io',
  action: 'Deny',
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'], scope: 'Namespaced' }],
    },
    matchConditions: [
      {
        name: 'launcher',
        expression: [
          isLabelled('object'),
          usesImage('object.spec.containers'),
          `(has(object.spec.initContainers) && ${usesImage('object.spec.initContainers')})`,
        ].join(' || '),
      },
      { name: 'by-others', expression: `request.userInfo.username != '${componentUser('virt-controller')}'` },
    ],
    validations: [
      {
        expression: `request.operation == 'UPDATE' && ${isLabelled('oldObject')} && oldObject.spec.containers.map(c, c.image) == object.spec.containers.map(c, c.image)`,
        message:
          'launcher pods run QEMU with rights of the node, so that only virt-controller may create them or change their images: ' +
          'create a VirtualMachineInstance instead, or use another image and another value of the label kubevirt.io',
        reason: 'Forbidden',
      },
    ],
  },
}

/** CEL: whether a field of a claim names nothing, or what virt-controller fills claims from. */
function isFilled(field: string): string {
  const [group, kind] = [`object.spec.${field}.apiGroup`, `object.spec.${field}.kind`]
  const isClaim = `((!has(${group}) || ${group} == '') && ${kind} == 'PersistentVolumeClaim')`
  const isOurs = `(has(${group}) && ${group} == 'cdi.kubevirt.io' && ${kind} in ['VolumeImportSource', 'VolumeUploadSource', 'VolumeCloneSource'])`
  return `(!has(object.spec.${field}) || ${isClaim} || ${isOurs})`
}

/** The provisioner refuses such claims, too; the warning reaches the user at once. */
const claimSources: PolicyRules = {
  name: 'claim-sources.steadyvm.io',
  action: 'Warn',
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['persistentvolumeclaims'], scope: 'Namespaced' },
      ],
    },
    validations: [
      {
        expression: `${isFilled('dataSource')} && ${isFilled('dataSourceRef')}`,
        message:
          'nothing on this machine fills volumes from such an object: the claim stays Pending. spec.dataSource and spec.dataSourceRef ' +
          'may name a PersistentVolumeClaim, a VolumeImportSource, a VolumeUploadSource or a VolumeCloneSource',
      },
    ],
  },
}

/**
 * Without its operator, which would end with the namespace, the deletion of the KubeVirt object in
 * it would never complete.
 */
const namespaceOfComponents: PolicyRules = {
  name: 'namespace-of-components.steadyvm.io',
  action: 'Deny',
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['namespaces'], scope: 'Cluster' }],
    },
    validations: [
      {
        expression: `request.name != '${componentNamespace}'`,
        message:
          `the namespace "${componentNamespace}" holds the components of this machine. "steadyvm uninstall" removes what is installed ` +
          'in it, and "steadyvm down" ends the machine',
        reason: 'Forbidden',
      },
    ],
  },
}

/** A policy with its binding, which has the same name. */
interface PolicyRules {
  readonly name: string
  readonly action: 'Deny' | 'Warn'
  readonly spec: NonNullable<ValidatingAdmissionPolicy['spec']>
}

/** Policies of earlier releases. */
const obsolete = ['data-volumes.steadyvm.io', 'uploads.steadyvm.io']

/** Creates or restores the admission policies of machine mode. Idempotent. */
export async function ensureAdmissionPolicies(client: Client): Promise<void> {
  for (const name of obsolete) {
    await found(client.delete(validatingAdmissionPolicyBindings, { name }))
    await found(client.delete(validatingAdmissionPolicies, { name }))
  }
  await Promise.all(
    [launcherPods, claimSources, namespaceOfComponents].map(async ({ name, action, spec }) => {
      const apiVersion = 'admissionregistration.k8s.io/v1'
      const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec: { failurePolicy: 'Fail', ...spec } }
      await ensure<ValidatingAdmissionPolicy>(client, validatingAdmissionPolicies, policy)
      const binding = {
        apiVersion,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, validationActions: [action] },
      }
      await ensure<ValidatingAdmissionPolicyBinding>(client, validatingAdmissionPolicyBindings, binding)
    }),
  )
}

async function ensure<T extends KubeObject>(client: Client, resource: ResourceType<T>, wanted: T): Promise<void> {
  const { name = '' } = wanted.metadata ?? {}
  const hash = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16)
  const stamped = { ...wanted, metadata: { ...wanted.metadata, annotations: { [HASH_ANNOTATION]: hash } } }
  const present = await found(client.get(resource, { name }))
  if (present?.metadata?.annotations?.[HASH_ANNOTATION] === hash) return
  if (present === undefined) await client.create(resource, stamped).catch(ignoreTaken)
  else
    await client.update(resource, {
      ...stamped,
      metadata: { ...stamped.metadata, resourceVersion: present.metadata?.resourceVersion ?? '' },
    })
}

function ignoreTaken(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
