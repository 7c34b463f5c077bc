import { readFile } from 'node:fs/promises'
import { componentRules, formerRules } from '#api/access/component-rules.ts'
import { componentUser } from '#api/access/component-users.ts'
import { userRules } from '#api/access/user-roles.ts'
import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { auditLogPath } from '../components/control-plane.ts'
import type { Folders } from '../settings.ts'

type Component = keyof typeof componentRules

/** Use that the components made of their rights, from the audit log of the API server. */
export interface RightsUse {
  /** Requests that RBAC refused: `virt-api: get secrets`. */
  readonly refused: readonly string[]
  /** Rights that no request used and that no reason explains, in the same form. */
  readonly unexplained: readonly string[]
}

/**
 * Reasons for rights that a run of the tests does not use, by patterns of their descriptions. The
 * table of reasons in docs/kubernetes.md says the same.
 */
const reasons: readonly (readonly [reason: string, pattern: RegExp])[] = [
  ['informers list and watch, reads on demand get', /: (get|list|watch) /],
  ['owners of objects with blockOwnerDeletion, if OwnerReferencesPermissionEnforcement is on', /: update \S+\/finalizers/],
  [
    'server-side apply has the verb patch, and needs create for new objects',
    /^virt-operator: create \S+\.(apps|rbac\S+|apiextensions\S+)$/,
  ],
  ['server-side apply has the verb patch, and needs create for new objects', /^virt-operator: create services$/],
  ['a release that adds or changes roles', /^virt-operator: (patch|delete) (cluster)?roles/],
  ['registrations of earlier releases that are removed', /^virt-operator: (patch|delete) (\w+webhookconfigurations|apiservices)/],
  ['renewal of certificates', /^virt-operator: patch secrets$/],
  ['the feature gate InstancetypeV1', /^virt-api: patch customresourcedefinitions/],
  ['metrics, which need a token', /: create (tokenreviews|subjectaccessreviews)/],
  [
    'the storage migrator, when a definition has objects of another version',
    /^virt-controller: patch (\S+types|\S+preferences|\S+presets)\./,
  ],
  [
    'the storage migrator, when a definition has objects of another version',
    /^virt-controller: patch (kubevirts|\S+clones|\S+\/status\.apiext\S+)\b/,
  ],
  ['requests of virtctl that change the VM, as of hotplug', /^virt-api: patch virtualmachines\.kubevirt/],
  ['upgrade of stashed revisions, pruning', /^virt-controller: (patch|delete) controllerrevisions\.apps/],
  ['guests whose eviction strategy changes', /^virt-controller: delete poddisruptionbudgets\.policy/],
  ['restores and clones', /^virt-controller: (create|delete) virtualmachine(s|snapshots)\./],
  ['restores and clones', /^virt-controller: \w+ virtualmachine(restores|clones)(\/status)?\./],
  ['replica sets of VMIs', /^virt-controller: patch virtualmachineinstancereplicasets\/status\./],
  ['pools of VMs', /^virt-controller: patch virtualmachinepools(\/status)?\./],
  ['imports, where CDI is not installed', /^virt-controller: (\w+ \S+\.cdi\.kubevirt\.io|create secrets)$/],
  ['catalogue of another release', /^virt-controller: (patch|delete) virtualmachinecluster/],
  ['cancelled migrations', /^virt-controller: delete virtualmachineinstancemigrations/],
  ['state that a VM keeps: TPM, firmware variables', /^virt-controller: \w+ persistentvolumeclaims$/],
  ['workload updates by eviction', /^virt-controller: create pods\/eviction$/],
  ['nodes whose virt-handler does not report', /^virt-controller: patch nodes$/],
  ['hotplug, which changes the launcher pod', /^virt-controller: patch pods\/resize$/],
  ['hotplug, which adds to the history', /^virt-handler: update hardwarerecords/],
  ['events that repeat', /: patch events$/],
  ['the check before an upgrade, when rights are missing', /^virt-operator: create selfsubjectreviews/],
]

interface AuditEvent {
  /** RFC 3339, with microseconds. */
  readonly requestReceivedTimestamp: string
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string }
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * Compares the granted rights with the requests since the start of the cluster. Refusals after
 * `removedAt` are ignored: the removal of the installation deletes roles before pods end.
 */
export async function readRightsUse(folders: Folders, removedAt: Date): Promise<RightsUse> {
  const lines = (await readFile(auditLogPath(folders), 'utf8')).trim().split('\n')
  const events = lines.map((line) => JSON.parse(line) as AuditEvent)
  const components = Object.keys(componentRules) as Component[]
  const requestsOf = (component: Component): readonly AuditEvent[] =>
    events.filter(({ user }) => user.username === componentUser(component))
  return {
    refused: components.flatMap((component) => {
      const refused = requestsOf(component).filter(
        ({ annotations, requestReceivedTimestamp }) =>
          annotations?.['authorization.k8s.io/decision'] === 'forbid' && new Date(requestReceivedTimestamp) < removedAt,
      )
      return [...new Set(refused.map(rightOf))].map((right) => `${component}: ${right}`)
    }),
    unexplained: components.flatMap((component) => {
      const used = new Set(requestsOf(component).map(rightOf))
      return grantedTo(component)
        .filter((right) => !used.has(right))
        .map((right) => `${component}: ${right}`)
        .filter((right) => !reasons.some(([, pattern]) => pattern.test(right)))
    }),
  }
}

/** The right that a request needs: `patch nodes/status`, `get kubevirts.kubevirt.io`. */
function rightOf({ verb, objectRef }: AuditEvent): string {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {}
  return describe(verb, apiGroup, subresource === undefined ? resource : `${resource}/${subresource}`)
}

function describe(verb: string, group: string, resource: string): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}`
}

/** Rights of a component, without those of virt-operator that it only grants to others. */
function grantedTo(component: Component): readonly string[] {
  const own = rightsIn(component)
  if (component !== 'virt-operator') return [...own]
  const passedOn = new Set([
    ...(Object.keys(componentRules) as Component[]).filter((other) => other !== component).flatMap((other) => [...rightsIn(other)]),
    ...[...formerRules, ...userRules].flatMap(rightsOfRule),
  ])
  return [...own].filter((right) => !passedOn.has(right))
}

function rightsIn(component: Component): ReadonlySet<string> {
  const { cluster, namespace } = componentRules[component]
  return new Set([...cluster, ...namespace].flatMap(rightsOfRule))
}

function rightsOfRule({ apiGroups = [], resources = [], verbs }: PolicyRule): readonly string[] {
  return apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => describe(verb, group, resource))))
}
