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
  `(has(${object}.metadata.labels) && 'kubevirt.io' in ${object}.metadata.labels && ${object}.metadata.labels['kubevirt.io'] == 'virt-launcher')`
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

/** Nothing imports images yet: without the warning a DataVolume is accepted and ignored. */
const dataVolumes: PolicyRules = {
  name: 'data-volumes.steadyvm.io',
  action: 'Warn',
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['cdi.kubevirt.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['datavolumes'], scope: 'Namespaced' },
      ],
    },
    validations: [
      {
        expression: 'false',
        message:
          'DataVolumes are stored but not acted on: no claim is created and nothing is imported or cloned. ' +
          'Create a PersistentVolumeClaim and write the image to disk.img in it from a pod, or use a containerDisk',
      },
    ],
  },
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
        expression: '!has(object.spec.dataSource) && !has(object.spec.dataSourceRef)',
        message:
          'spec.dataSource and spec.dataSourceRef are not supported by the provisioner of this machine: the claim stays Pending. ' +
          'Create it without them and copy the data in a pod that mounts both claims',
      },
    ],
  },
}

const uploadTarget = 'cdi.kubevirt.io/storage.upload.target'

/** Nothing receives uploads yet: clients would wait for the pod that does. */
const uploads: PolicyRules = {
  name: 'uploads.steadyvm.io',
  action: 'Deny',
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['cdi.kubevirt.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['datavolumes'], scope: 'Namespaced' },
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['persistentvolumeclaims'], scope: 'Namespaced' },
      ],
    },
    validations: [
      {
        expression: [
          `(object.kind != 'DataVolume' || !has(object.spec.source) || !has(object.spec.source.upload))`,
          `(object.kind != 'PersistentVolumeClaim' || !has(object.metadata.annotations) || !('${uploadTarget}' in object.metadata.annotations))`,
        ].join(' && '),
        message:
          'images cannot be uploaded yet. Create a PersistentVolumeClaim and write the image to disk.img in it from a pod, ' +
          'or use a containerDisk',
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

/** Creates or restores the admission policies of machine mode. Idempotent. */
export async function ensureAdmissionPolicies(client: Client): Promise<void> {
  await Promise.all(
    [launcherPods, dataVolumes, claimSources, uploads, namespaceOfComponents].map(async ({ name, action, spec }) => {
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
