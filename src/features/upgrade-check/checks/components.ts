import { isManaged } from '#api/access/managed.ts'
import type { RuleWithOperations, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { compareReleases } from '#apimachinery/release-version.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { inNamespace, jsonPatch, type Finding } from '../finding.ts'
import { currentVersion, kubevirtPlace, type UpgradeInventory } from '../inventory.ts'

const versionAnnotation = 'kubevirt.io/install-strategy-version'

/**
 * Finds components that are not ready before the upgrade, and webhooks that would reject its
 * writes.
 */
export function componentFindings(inventory: UpgradeInventory): Finding[] {
  return [
    ...deploymentFindings(inventory),
    ...inventory.validatingWebhooks.flatMap((one) => webhookFindings(inventory, 'validatingwebhookconfiguration', one)),
    ...inventory.mutatingWebhooks.flatMap((one) => webhookFindings(inventory, 'mutatingwebhookconfiguration', one)),
  ]
}

function deploymentFindings(inventory: UpgradeInventory): Finding[] {
  const { namespace } = kubevirtPlace(inventory)
  return inventory.deployments
    .filter(({ metadata }) => metadata.namespace === namespace && isManaged(metadata.labels))
    .filter(({ spec, status }) => (status?.availableReplicas ?? 0) < (spec.replicas ?? 1))
    .map(({ metadata: { name = '' }, spec, status }) => ({
      id: 'ComponentNotReady',
      ...(isRolledBack(inventory, name)
        ? { severity: 'warning', why: 'The roll-back replaces it with the older version' }
        : { severity: 'forceable', why: 'Faults that exist before an upgrade cannot be told from faults that it causes' }),
      object: `deployment/${namespace}/${name}`,
      what: `${status?.availableReplicas ?? 0} of ${spec.replicas ?? 1} pods of ${name} are ready`,
      command: `kubectl rollout status deployment/${name}${inNamespace(namespace)} --timeout=5m`,
    }))
}

/**
 * Reports whether the upgrade installs an older version of a component than the one that runs: an
 * administrator who goes back because of a faulty component must not be refused because of it.
 */
function isRolledBack(inventory: UpgradeInventory, component: string): boolean {
  const { namespace } = kubevirtPlace(inventory)
  const deployment = inventory.deployments.find(({ metadata }) => metadata.namespace === namespace && metadata.name === component)
  const version = deployment?.metadata.annotations?.[versionAnnotation] ?? currentVersion(inventory)
  return deployment !== undefined && version !== undefined && compareReleases(inventory.to, version) < 0
}

/** Resources that an upgrade writes and webhooks of others may intercept. */
const written: readonly { readonly group: string; readonly resource: string }[] = [
  { group: 'apps', resource: 'daemonsets' },
  { group: 'apps', resource: 'deployments' },
  { group: '', resource: 'services' },
  { group: '', resource: 'pods' },
]

function webhookFindings(
  inventory: UpgradeInventory,
  kind: string,
  { metadata, webhooks = [] }: ValidatingWebhookConfiguration,
): Finding[] {
  const { namespace } = kubevirtPlace(inventory)
  const labels = inventory.namespaces.find((one) => one.metadata.name === namespace)?.metadata.labels
  return webhooks.flatMap(({ name, clientConfig, failurePolicy, rules = [], namespaceSelector }, index) => {
    const { service } = clientConfig
    if (failurePolicy === 'Ignore' || service === undefined || isAnswered(inventory, service)) return []
    if (!rules.some(isAboutUpgrades) || !labelSelectorFromObject(namespaceSelector ?? {}).matches(labels)) return []
    const object = `${kind}/${metadata.name ?? ''}`
    return [
      {
        id: 'WebhookUnanswered',
        severity: service.namespace === namespace && isRolledBack(inventory, service.name) ? 'warning' : 'forceable',
        object: `${object}/${name}`,
        what: `Webhook ${name} must agree to the system's own pods, and nothing answers at service ${service.namespace}/${service.name}`,
        why: 'The new components would be refused half-way',
        command: jsonPatch(object, undefined, [
          { op: 'test', path: `/webhooks/${index}/name`, value: name },
          { op: 'add', path: `/webhooks/${index}/failurePolicy`, value: 'Ignore' },
        ]),
      },
    ]
  })
}

function isAnswered({ endpoints }: UpgradeInventory, service: { readonly namespace: string; readonly name: string }): boolean {
  return endpoints.some(
    ({ metadata, endpoints: found }) =>
      metadata.namespace === service.namespace &&
      metadata.labels?.['kubernetes.io/service-name'] === service.name &&
      (found ?? []).some(({ conditions }) => conditions?.ready !== false),
  )
}

function isAboutUpgrades({ operations = [], apiGroups = [], resources = [] }: RuleWithOperations): boolean {
  const writes = operations.some((operation) => ['*', 'CREATE', 'UPDATE'].includes(operation))
  const has = (list: readonly string[], one: string): boolean => list.includes('*') || list.includes(one)
  return writes && written.some(({ group, resource }) => has(apiGroups, group) && (has(resources, resource) || resources.includes('*/*')))
}
