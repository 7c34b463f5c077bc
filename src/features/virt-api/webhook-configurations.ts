import { byOthersExpression } from '#api/access/component-users.ts'
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
} from '#api/admissionregistration/v1/webhook-configuration.ts'
import { requiredWebhook, type WebhookEndpoint } from '#runtime/webhook/webhook-configuration.ts'

const hardware = [
  'virtualmachineinstancetype',
  'virtualmachineclusterinstancetype',
  'virtualmachinepreference',
  'virtualmachineclusterpreference',
] as const

/**
 * Renders the webhook configurations of a release. All fields with defaults are set, so that edits
 * are found by comparison.
 */
export function webhookConfigurations(endpoint: WebhookEndpoint): {
  readonly mutating: MutatingWebhookConfiguration
  readonly validating: ValidatingWebhookConfiguration
} {
  const base = { apiVersion: 'admissionregistration.k8s.io/v1' }
  return {
    mutating: {
      ...base,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'virt-api-mutator', labels: { 'kubevirt.io': 'virt-api' } },
      webhooks: [
        mutator(endpoint, 'virtualmachineinstances-mutator.kubevirt.io', '/virtualmachineinstances-mutate', [
          { ...kubevirt('virtualmachineinstances'), operations: ['CREATE'] },
        ]),
        {
          ...mutator(endpoint, 'virtualmachineinstances-update-mutator.kubevirt.io', '/virtualmachineinstances-mutate-update', [
            { ...kubevirt('virtualmachineinstances'), operations: ['UPDATE'] },
          ]),
          matchConditions: [byPerson, { name: 'changes-the-status', expression: changes('status') }],
        },
        mutator(endpoint, 'migrations-mutator.kubevirt.io', '/migration-mutate-create', [
          { ...kubevirt('virtualmachineinstancemigrations'), operations: ['CREATE'] },
        ]),
        {
          ...mutator(endpoint, 'pvc-mutate.cdi.kubevirt.io', '/pvc-mutate', [
            { ...rule('', 'v1', 'persistentvolumeclaims'), operations: ['CREATE'], scope: 'Namespaced' },
          ]),
          objectSelector: { matchLabels: { 'cdi.kubevirt.io/applyStorageProfile': 'true' } },
        },
        {
          ...mutator(endpoint, 'virtualmachines-mutator.kubevirt.io', '/virtualmachines-mutate', [kubevirt('virtualmachines')]),
          // Only VMs with inference or storage preferences are changed; the condition saves the
          // call for all others.
          matchConditions: [
            { name: 'leaves-something-open', expression: [infers('instancetype'), infers('preference'), prefersStorage].join(' || ') },
          ],
        },
      ],
    },
    validating: {
      ...base,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'virt-api-validator', labels: { 'kubevirt.io': 'virt-api' } },
      webhooks: [
        requiredWebhook(endpoint, 'virtualmachineinstances-create-validator.kubevirt.io', '/virtualmachineinstances-validate-create', [
          { ...kubevirt('virtualmachineinstances'), operations: ['CREATE'] },
        ]),
        {
          ...requiredWebhook(endpoint, 'virtualmachineinstances-update-validator.kubevirt.io', '/virtualmachineinstances-validate-update', [
            { ...kubevirt('virtualmachineinstances'), operations: ['UPDATE'] },
          ]),
          // Saves the call for components, which write VMIs frequently.
          matchConditions: [byPerson, { name: 'changes-more-than-notes', expression: changesVmi }],
        },
        requiredWebhook(endpoint, 'virtualmachineinstancepreset-validator.kubevirt.io', '/vmipreset-validate-create', [
          kubevirt('virtualmachineinstancepresets'),
        ]),
        {
          ...requiredWebhook(endpoint, 'kubevirt-validator.kubevirt.io', '/kubevirt-validate-delete', [
            { ...kubevirt('kubevirts'), operations: ['DELETE'] },
          ]),
          // Only a KubeVirt object that protects workloads must not be deleted while virt-api is
          // down.
          matchConditions: [{ name: 'guards-its-guests', expression: guardsGuests }],
        },
        {
          ...requiredWebhook(endpoint, 'kubevirt-update-validator.kubevirt.io', '/kubevirts-validate', [kubevirt('kubevirts')]),
          // Objects that are written while virt-api is down are not acted on, and a condition
          // reports them.
          failurePolicy: 'Ignore',
        },
        requiredWebhook(endpoint, 'virtualmachine-validator.kubevirt.io', '/virtualmachines-validate', [kubevirt('virtualmachines')]),
        requiredWebhook(endpoint, 'virtualmachinereplicaset-validator.kubevirt.io', '/virtualmachinereplicaset-validate', [
          kubevirt('virtualmachineinstancereplicasets'),
        ]),
        requiredWebhook(endpoint, 'virtualmachinepool-validator.kubevirt.io', '/virtualmachinepool-validate', [
          rule('pool.kubevirt.io', 'v1beta1', 'virtualmachinepools'),
        ]),
        ...hardware.map((singular) =>
          requiredWebhook(endpoint, `${singular}-validator.instancetype.kubevirt.io`, `/${singular}s-validate`, [
            hardwareRule(`${singular}s`),
          ]),
        ),
        ...['virtualmachinesnapshot', 'virtualmachinerestore'].map((singular) =>
          requiredWebhook(endpoint, `${singular}-validator.snapshot.kubevirt.io`, `/${singular}s-validate`, [
            rule('snapshot.kubevirt.io', 'v1beta1', `${singular}s`),
          ]),
        ),
        requiredWebhook(endpoint, 'migration-create-validator.kubevirt.io', '/migration-validate-create', [
          { ...kubevirt('virtualmachineinstancemigrations'), operations: ['CREATE'] },
        ]),
        requiredWebhook(endpoint, 'migration-update-validator.kubevirt.io', '/migration-validate-update', [
          { ...kubevirt('virtualmachineinstancemigrations'), operations: ['UPDATE'] },
        ]),
        requiredWebhook(endpoint, 'migration-policy-validator.kubevirt.io', '/migration-policy-validate', [
          rule('migrations.kubevirt.io', 'v1alpha1', 'migrationpolicies'),
        ]),
        requiredWebhook(endpoint, 'virtualmachineexport-validator.export.kubevirt.io', '/virtualmachineexports-validate', [
          rule('export.kubevirt.io', 'v1', 'virtualmachineexports'),
        ]),
        requiredWebhook(endpoint, 'virtualmachineclone-validator.clone.kubevirt.io', '/virtualmachineclones-validate', [
          rule('clone.kubevirt.io', 'v1beta1', 'virtualmachineclones'),
        ]),
        {
          ...requiredWebhook(endpoint, 'datavolume-validator.cdi.kubevirt.io', '/datavolumes-validate', [
            rule('cdi.kubevirt.io', 'v1beta1', 'datavolumes'),
          ]),
          // A spec never changes: labels and finalizers are not delayed by a call.
          matchConditions: [{ name: 'is-new-or-changes', expression: `request.operation == 'CREATE' || ${changes('spec')}` }],
        },
        {
          ...requiredWebhook(
            endpoint,
            'populator-validate.cdi.kubevirt.io',
            '/populator-validate',
            ['import', 'upload', 'clone'].map((kind) => rule('cdi.kubevirt.io', 'v1beta1', `volume${kind}sources`)),
          ),
          matchConditions: [{ name: 'is-new-or-changes', expression: `request.operation == 'CREATE' || ${changes('spec')}` }],
        },
        {
          ...requiredWebhook(endpoint, 'storageprofile-validator.cdi.kubevirt.io', '/storageprofiles-validate', [
            { ...rule('cdi.kubevirt.io', 'v1beta1', 'storageprofiles'), scope: 'Cluster' },
          ]),
          // It only warns.
          failurePolicy: 'Ignore',
          matchConditions: [byPerson],
        },
        {
          ...requiredWebhook(endpoint, 'dataimportcron-validate.cdi.kubevirt.io', '/dataimportcron-validate', [
            rule('cdi.kubevirt.io', 'v1beta1', 'dataimportcrons'),
          ]),
          // virt-controller notes digests and times in annotations, which is not delayed by a call.
          matchConditions: [
            { name: 'is-new-or-by-a-person', expression: `request.operation == 'CREATE' || ${byOthersExpression} || ${changes('spec')}` },
          ],
        },
        {
          ...requiredWebhook(endpoint, 'virt-launcher-eviction-interceptor.kubevirt.io', '/pod-eviction-validate', [evictions]),
          // While virt-api is down, disruption budgets refuse evictions in a way that drains retry.
          failurePolicy: 'Ignore',
          sideEffects: 'NoneOnDryRun',
          matchConditions: [
            { name: 'of-a-guest', expression: "request.name.startsWith('virt-launcher-') || request.name.startsWith('hp-volume-')" },
          ],
        },
        {
          ...requiredWebhook(endpoint, 'disruption-budget.steadyvm.io', '/poddisruptionbudgets-validate', [
            rule('policy', 'v1', 'poddisruptionbudgets'),
          ]),
          // It only warns, as the next one.
          failurePolicy: 'Ignore',
          matchConditions: [byPerson],
        },
        {
          ...requiredWebhook(endpoint, 'stored-only.steadyvm.io', '/stored-only-validate', storedOnly),
          // It only warns, as the next one.
          failurePolicy: 'Ignore',
          matchConditions: [byPerson],
        },
        {
          ...requiredWebhook(
            endpoint,
            'instancetype-deletion.steadyvm.io',
            '/instancetypes-delete',
            hardware.map((singular) => ({ ...hardwareRule(`${singular}s`), operations: ['DELETE'] })),
          ),
          // It only warns. A controller would not read the warning.
          failurePolicy: 'Ignore',
          matchConditions: [byPerson],
        },
      ],
    },
  }
}

/** Kinds whose objects are stored and validated, and which nothing acts on yet. */
const storedOnly: RuleWithOperations[] = [
  rule('backup.kubevirt.io', 'v1alpha1', 'virtualmachinebackups'),
  rule('backup.kubevirt.io', 'v1alpha1', 'virtualmachinebackuptrackers'),
  { ...rule('plugin.kubevirt.io', 'v1alpha1', 'plugins'), scope: 'Cluster' },
  { ...rule('cdi.kubevirt.io', 'v1beta1', 'objecttransfers'), scope: 'Cluster' },
]

/** CEL: whether a KubeVirt object must not be deleted while there are workloads. */
const guardsGuests =
  "has(oldObject.spec) && has(oldObject.spec.uninstallStrategy) && oldObject.spec.uninstallStrategy == 'BlockUninstallIfWorkloadsExist'"

/**
 * CEL: whether a VM's matcher infers from a volume. Invalid objects are rejected later, with a
 * better message than that of a failing expression.
 */
function infers(field: string): string {
  const path = `object.spec.${field}.inferFromVolume`
  return `(${isThere('object.spec', `object.spec.${field}`, path)} && ${path} != '')`
}

function isThere(...paths: readonly string[]): string {
  return paths.map((path) => `has(${path}) && ${path} != null`).join(' && ')
}

/** CEL: whether a VM has a preference and DataVolume templates. */
const prefersStorage = `(${isThere('object.spec', 'object.spec.preference', 'object.spec.dataVolumeTemplates')})`

/** CEL: whether the request does not come from one of our components. */
const byPerson = { name: 'by-a-person', expression: byOthersExpression } as const

/** CEL: whether a field changes. */
function changes(path: string): string {
  const [now, before] = [`object.${path}`, `oldObject.${path}`]
  return `has(${now}) != has(${before}) || (has(${now}) && has(${before}) && ${now} != ${before})`
}

/**
 * CEL: whether a protected part of a VMI changes. Updates of finalizers during a deletion are not
 * delayed by a call.
 */
const changesVmi = ['spec', 'status', 'metadata.labels'].map(changes).join(' || ')

function mutator(endpoint: WebhookEndpoint, name: string, path: string, rules: RuleWithOperations[]): MutatingWebhook {
  return { ...requiredWebhook(endpoint, name, path, rules), reinvocationPolicy: 'Never' }
}

const evictions: RuleWithOperations = {
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods/eviction'],
  operations: ['CREATE'],
  scope: 'Namespaced',
}

function hardwareRule(resource: string): RuleWithOperations {
  return rule('instancetype.kubevirt.io', 'v1beta1', resource)
}

function kubevirt(resource: string): RuleWithOperations {
  return rule('kubevirt.io', 'v1', resource)
}

function rule(group: string, version: string, resource: string): RuleWithOperations {
  return { apiGroups: [group], apiVersions: [version], resources: [resource], operations: ['CREATE', 'UPDATE'], scope: '*' }
}
