import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '#api/admissionregistration/v1/webhook-configuration.ts'

/** Where the API server reaches the handlers. */
export interface WebhookEndpoint {
  /** The service behind which they answer. */
  readonly service: { readonly namespace: string; readonly name: string }
  /** PEM bundle that the server's certificate is checked with, as base64. */
  readonly caBundle: string
}

const hardware = [
  'virtualmachineinstancetype',
  'virtualmachineclusterinstancetype',
  'virtualmachinepreference',
  'virtualmachineclusterpreference',
] as const

/**
 * The registrations of all handlers, as a release brings them. With all defaults, so that whoever
 * changes one is found.
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
          ...mutator(endpoint, 'virtualmachines-mutator.kubevirt.io', '/virtualmachines-mutate', [kubevirt('virtualmachines')]),
          // Only a VM that infers, or may be given a storage class, is changed; all others are
          // spared the way.
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
        webhook(endpoint, 'virtualmachineinstances-create-validator.kubevirt.io', '/virtualmachineinstances-validate-create', [
          { ...kubevirt('virtualmachineinstances'), operations: ['CREATE'] },
        ]),
        {
          ...webhook(endpoint, 'virtualmachineinstances-update-validator.kubevirt.io', '/virtualmachineinstances-validate-update', [
            { ...kubevirt('virtualmachineinstances'), operations: ['UPDATE'] },
          ]),
          // The components, who write it all the time, are spared the way.
          matchConditions: [byPerson, { name: 'changes-more-than-notes', expression: changesVmi }],
        },
        webhook(endpoint, 'virtualmachineinstancepreset-validator.kubevirt.io', '/vmipreset-validate-create', [
          kubevirt('virtualmachineinstancepresets'),
        ]),
        {
          ...webhook(endpoint, 'kubevirt-validator.kubevirt.io', '/kubevirt-validate-delete', [
            { ...kubevirt('kubevirts'), operations: ['DELETE'] },
          ]),
          // While nobody answers, only an installation that guards its guests is kept from being
          // removed.
          matchConditions: [{ name: 'guards-its-guests', expression: guardsGuests }],
        },
        {
          ...webhook(endpoint, 'kubevirt-update-validator.kubevirt.io', '/kubevirts-validate', [kubevirt('kubevirts')]),
          // What slips through while nobody answers is not acted on, and told by a condition of the
          // object.
          failurePolicy: 'Ignore',
        },
        webhook(endpoint, 'virtualmachine-validator.kubevirt.io', '/virtualmachines-validate', [kubevirt('virtualmachines')]),
        ...hardware.map((singular) =>
          webhook(endpoint, `${singular}-validator.instancetype.kubevirt.io`, `/${singular}s-validate`, [hardwareRule(`${singular}s`)]),
        ),
        ...['virtualmachinesnapshot', 'virtualmachinerestore'].map((singular) =>
          webhook(endpoint, `${singular}-validator.snapshot.kubevirt.io`, `/${singular}s-validate`, [
            rule('snapshot.kubevirt.io', 'v1beta1', `${singular}s`),
          ]),
        ),
        webhook(endpoint, 'migration-create-validator.kubevirt.io', '/migration-validate-create', [
          { ...kubevirt('virtualmachineinstancemigrations'), operations: ['CREATE'] },
        ]),
        webhook(endpoint, 'migration-update-validator.kubevirt.io', '/migration-validate-update', [
          { ...kubevirt('virtualmachineinstancemigrations'), operations: ['UPDATE'] },
        ]),
        webhook(endpoint, 'migration-policy-validator.kubevirt.io', '/migration-policy-validate', [
          rule('migrations.kubevirt.io', 'v1alpha1', 'migrationpolicies'),
        ]),
        webhook(endpoint, 'virtualmachineclone-validator.clone.kubevirt.io', '/virtualmachineclones-validate', [
          rule('clone.kubevirt.io', 'v1beta1', 'virtualmachineclones'),
        ]),
        {
          ...webhook(endpoint, 'virt-launcher-eviction-interceptor.kubevirt.io', '/pod-eviction-validate', [evictions]),
          // While nobody answers, the disruption budgets of guests refuse, and in the way that
          // drains wait for.
          failurePolicy: 'Ignore',
          sideEffects: 'NoneOnDryRun',
          matchConditions: [{ name: 'of-a-guest', expression: "request.name.startsWith('virt-launcher-')" }],
        },
        {
          ...webhook(endpoint, 'disruption-budget.steadyvm.io', '/poddisruptionbudgets-validate', [
            rule('policy', 'v1', 'poddisruptionbudgets'),
          ]),
          // It only warns, as the next one.
          failurePolicy: 'Ignore',
          matchConditions: [byPerson],
        },
        {
          ...webhook(
            endpoint,
            'instancetype-deletion.steadyvm.io',
            '/instancetypes-delete',
            hardware.map((singular) => ({ ...hardwareRule(`${singular}s`), operations: ['DELETE'] })),
          ),
          // It only warns, which is nothing to wait or fail for; and nobody reads what a controller
          // is told.
          failurePolicy: 'Ignore',
          matchConditions: [byPerson],
        },
      ],
    },
  }
}

/** CEL: whether a KubeVirt object refuses to go while there are guests. */
const guardsGuests =
  "has(oldObject.spec) && has(oldObject.spec.uninstallStrategy) && oldObject.spec.uninstallStrategy == 'BlockUninstallIfWorkloadsExist'"

/**
 * CEL: whether a VM's matcher names a volume. What is no VM is refused later, and in better words
 * than an expression that fails.
 */
function infers(field: string): string {
  const path = `object.spec.${field}.inferFromVolume`
  return `(${isThere('object.spec', `object.spec.${field}`, path)} && ${path} != '')`
}

function isThere(...paths: readonly string[]): string {
  return paths.map((path) => `has(${path}) && ${path} != null`).join(' && ')
}

/** CEL: whether a VM has a preference and templates of DataVolumes. */
const prefersStorage = `(${isThere('object.spec', 'object.spec.preference', 'object.spec.dataVolumeTemplates')})`

/** CEL: whether it is none of our own components that asks. */
const byPerson = { name: 'by-a-person', expression: "!('system:steadyvm' in request.userInfo.groups)" } as const

/** CEL: whether a field is another than before. */
function changes(path: string): string {
  const [now, before] = [`object.${path}`, `oldObject.${path}`]
  return `has(${now}) != has(${before}) || (has(${now}) && has(${before}) && ${now} != ${before})`
}

/**
 * CEL: whether anything of a VMI is another than before that not everybody may change. Who deletes,
 * and changes only finalizers, waits for nobody.
 */
const changesVmi = ['spec', 'status', 'metadata.labels'].map(changes).join(' || ')

function mutator(endpoint: WebhookEndpoint, name: string, path: string, rules: RuleWithOperations[]): MutatingWebhook {
  return { ...webhook(endpoint, name, path, rules), reinvocationPolicy: 'Never' }
}

function webhook(endpoint: WebhookEndpoint, name: string, path: string, rules: RuleWithOperations[]): ValidatingWebhook {
  return {
    name,
    clientConfig: { service: { ...endpoint.service, path, port: 443 }, caBundle: endpoint.caBundle },
    rules,
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1'],
  }
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
