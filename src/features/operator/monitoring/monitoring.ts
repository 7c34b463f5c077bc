import { serviceAccounts } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { RuleGroup } from '../install/release-contents.ts'
import type { OperatorPorts } from '../ports.ts'
import { decideMonitoring, type MonitoringComparison, type MonitoringSteps } from './decide.ts'
import { monitoringObjects, type MonitoringPlace } from './objects.ts'
import { runbookUrls } from './runbook-urls.ts'

/** Dependencies of {@link createMonitoring}. */
export type MonitoringPorts = Pick<
  OperatorPorts,
  | 'client'
  | 'clock'
  | 'log'
  | 'namespace'
  | 'contents'
  | 'roles'
  | 'roleBindings'
  | 'clusterRoles'
  | 'clusterRoleBindings'
  | 'monitoring'
  | 'runbookTemplate'
>

/** KubeVirt's defaults of the namespaces of Prometheus, and of its service account. */
const [defaultNamespaces, defaultAccount] = [['openshift-monitoring', 'monitoring'], 'prometheus-k8s'] as const
/** Milliseconds until an account is looked for again, or a failed write is retried. */
const lookAgainMs = 60_000

/** Keeps what Prometheus needs, where the Prometheus operator is installed. */
export interface Monitoring {
  /** Returns the milliseconds until the next look; undefined: changes wake the operator. */
  apply(kubevirt: KubeVirt, version: string, signal: AbortSignal): Promise<number | undefined>
}

export function createMonitoring(ports: MonitoringPorts): Monitoring {
  const { client, clock, log, namespace } = ports
  const urlOf = runbookUrls(ports.runbookTemplate)
  let told = ''
  let looked: { readonly key: string; readonly untilMs: number; readonly account: MonitoringPlace['account'] | undefined } | undefined

  /** Says once what became of monitoring, until that changes. */
  const tell = (text: string): void => {
    if (text !== told) log.info({}, text)
    told = text
  }

  const findAccount = async ({ spec }: KubeVirt, signal: AbortSignal): Promise<MonitoringPlace['account'] | undefined> => {
    const name = spec.monitorAccount || defaultAccount
    const namespaces = spec.monitorNamespace ? [spec.monitorNamespace] : defaultNamespaces
    const key = `${namespaces.join()}/${name}`
    if (looked?.key === key && looked.untilMs > clock.now()) return looked.account
    let account: MonitoringPlace['account'] | undefined
    for (const candidate of namespaces)
      if (account === undefined && (await found(client.get(serviceAccounts, { namespace: candidate, name }, { signal }))) !== undefined)
        account = { namespace: candidate, name }
    looked = { key, untilMs: clock.now() + lookAgainMs, account }
    if (account === undefined)
      tell(
        `No ServiceMonitor and no PrometheusRule: there is no service account "${name}" of Prometheus in ${namespaces.join(' or ')}. spec.monitorNamespace and spec.monitorAccount of the KubeVirt object name another one`,
      )
    return account
  }

  const compare = (place: MonitoringPlace, groups: readonly RuleGroup[] | undefined): MonitoringSteps => {
    const { installed, found: stored } = ports.monitoring.observe()
    const listers = new Map<string, Lister<KubeObject>>([
      [roles.kind, ports.roles as Lister<KubeObject>],
      [roleBindings.kind, ports.roleBindings as Lister<KubeObject>],
      [clusterRoles.kind, ports.clusterRoles as Lister<KubeObject>],
      [clusterRoleBindings.kind, ports.clusterRoleBindings as Lister<KubeObject>],
    ])
    const presentOf = ({ kind }: ResourceType<KubeObject>, { name, namespace: scope = '' }: { name: string; namespace?: string }) =>
      listers.get(kind)?.get(scope, name) ??
      stored.find(({ resource, object: { metadata } }) => resource.kind === kind && metadata?.namespace === scope)?.object
    const comparisons = monitoringObjects(place, groups)
      .filter(({ resource }) => listers.has(resource.kind) || installed.some(({ kind }) => kind === resource.kind))
      .map((wanted): MonitoringComparison => ({ wanted, present: presentOf(wanted.resource, wanted.object.metadata) }))
    return decideMonitoring(comparisons, stored)
  }

  const write = async ({ apply, remove }: MonitoringSteps, signal: AbortSignal): Promise<void> => {
    for (const { resource, object } of apply) {
      const { name, namespace: scope } = object.metadata
      const patch = { type: 'apply', body: object, fieldManager: `virt-operator/${resource.plural}`, force: true } as const
      await client.patch(resource, scope === undefined ? { name } : { namespace: scope, name }, patch, { signal })
    }
    for (const { resource, object } of remove) {
      const { name = '', namespace: scope = '', uid } = object.metadata ?? {}
      const precondition = uid === undefined ? {} : { preconditions: { uid } }
      await client.delete(resource, { namespace: scope, name }, { ...precondition, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
  }

  return {
    async apply(kubevirt, version, signal) {
      const { installed, isKnown } = ports.monitoring.observe()
      if (installed.length === 0) {
        tell('No ServiceMonitor and no PrometheusRule: the CRDs of the Prometheus operator are not installed')
        return undefined
      }
      if (!isKnown) return undefined
      try {
        const account = await findAccount(kubevirt, signal)
        if (account === undefined) return lookAgainMs
        const { rules } = await ports.contents(version)
        const place = { namespace, account, serviceMonitorNamespace: kubevirt.spec.serviceMonitorNamespace || account.namespace }
        await write(compare(place, rules === undefined ? undefined : withRunbooks(await rules(), urlOf)), signal)
        tell(`Prometheus finds metrics and rules: service account ${account.namespace}/${account.name}`)
        return undefined
      } catch (error) {
        signal.throwIfAborted()
        // Components do not wait for their monitoring.
        log.warn({ err: error }, 'The objects for Prometheus cannot be written: trying again in a minute')
        return lookAgainMs
      }
    },
  }
}

function withRunbooks(groups: readonly RuleGroup[], urlOf: (alert: string) => string): readonly RuleGroup[] {
  return groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) =>
      rule.alert === undefined ? rule : { ...rule, annotations: { ...rule.annotations, runbook_url: urlOf(rule.alert) } },
    ),
  }))
}
