import type { PolicyRule } from '#api/rbac/v1/role.ts'

/** Kubernetes' roles for users, which other roles aggregate to. */
export type AggregatedRole = 'admin' | 'edit' | 'view'

/** A ClusterRole for users, which virt-operator installs. */
export interface UserRole {
  readonly name: string
  /** Kubernetes' role that includes this one. */
  readonly aggregateTo?: AggregatedRole
  /** Groups that have the role in the whole cluster. */
  readonly groups?: string[]
  readonly rules: PolicyRule[]
}

const read = ['get', 'list', 'watch']
const write = [...read, 'create', 'update', 'patch', 'delete']
const all = [...write, 'deletecollection']
const subresources = 'subresources.kubevirt.io'
const instancetypes = 'instancetype.kubevirt.io'

function rule(group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources: [...resources], verbs: [...verbs] }
}

/** Requests that change a guest. */
const guestChanges = ['pause', 'unpause', 'addvolume', 'removevolume', 'freeze', 'unfreeze', 'softreboot', 'reset', 'evacuate/cancel']

const ofVms = (...names: readonly string[]): string[] => names.map((name) => `virtualmachines/${name}`)
const ofVmis = (...names: readonly string[]): string[] => names.map((name) => `virtualmachineinstances/${name}`)

const clusterInstancetypes = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences']
const migrations = ['virtualmachineinstancemigrations']
const guestFacts = [...ofVmis('filesystemlist', 'guestosinfo', 'userlist', 'usage', 'objectgraph'), ...ofVms('objectgraph')]
const confidential = ofVmis('sev/fetchcertchain', 'sev/querylaunchmeasurement')

/** Kinds of the VMs of a namespace, by group. */
const owned: Readonly<Record<string, readonly string[]>> = {
  'kubevirt.io': ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancepresets', 'virtualmachineinstancereplicasets'],
  'snapshot.kubevirt.io': ['virtualmachinesnapshots', 'virtualmachinesnapshotcontents', 'virtualmachinerestores'],
  'backup.kubevirt.io': ['virtualmachinebackups', 'virtualmachinebackuptrackers'],
  'export.kubevirt.io': ['virtualmachineexports'],
  'clone.kubevirt.io': ['virtualmachineclones'],
  [instancetypes]: ['virtualmachineinstancetypes', 'virtualmachinepreferences', ...clusterInstancetypes],
  'pool.kubevirt.io': ['virtualmachinepools'],
}
const ownedWith = (verbs: readonly string[]): PolicyRule[] =>
  Object.entries(owned).map(([group, resources]) => rule(group, resources, verbs))

/** Requests about guests and VMs that editors may make. */
const operations: readonly PolicyRule[] = [
  rule(subresources, [...ofVmis('console', 'vnc', 'portforward', 'usbredir'), ...guestFacts, ...confidential], ['get']),
  rule(subresources, ofVmis(...guestChanges, 'sev/setupsession', 'sev/injectlaunchsecret'), ['update']),
  rule(subresources, ofVms('expand-spec', 'portforward'), ['get']),
  rule(subresources, ofVms('start', 'stop', 'restart', 'addvolume', 'removevolume', 'memorydump', 'removememorydump', 'evacuate/cancel'), [
    'update',
  ]),
  rule(subresources, ['expand-vm-spec'], ['update']),
]
const seesMigrations = [rule('kubevirt.io', migrations, read), rule('migrations.kubevirt.io', ['migrationpolicies'], read)]
const seesKubeVirt = rule('kubevirt.io', ['kubevirts'], ['get', 'list'])

/**
 * KubeVirt's roles, with its rights. Migrations need a role of their own, because they use the
 * network and the nodes of all.
 */
const kubevirtRoles: readonly UserRole[] = [
  {
    name: 'kubevirt.io:default',
    groups: ['system:authenticated'],
    rules: [seesKubeVirt, rule(subresources, ['version', 'guestfs'], ['get', 'list'])],
  },
  {
    name: 'kubevirt.io:admin',
    aggregateTo: 'admin',
    rules: [
      ...operations,
      rule(subresources, ofVmis('vnc/screenshot'), ['get']),
      ...ownedWith(all),
      rule('plugin.kubevirt.io', ['plugins'], all),
      ...seesMigrations,
    ],
  },
  { name: 'kubevirt.io:edit', aggregateTo: 'edit', rules: [...operations, ...ownedWith(write), seesKubeVirt, ...seesMigrations] },
  {
    name: 'kubevirt.io:view',
    aggregateTo: 'view',
    rules: [
      seesKubeVirt,
      rule(subresources, [...ofVms('expand-spec'), ...guestFacts, ...confidential], ['get']),
      rule(subresources, ['expand-vm-spec'], ['update']),
      ...ownedWith(read),
      ...seesMigrations,
      rule('plugin.kubevirt.io', ['plugins'], read),
    ],
  },
  { name: 'kubevirt.io:migrate', rules: [rule(subresources, ofVms('migrate'), ['update']), rule('kubevirt.io', migrations, all)] },
  { name: 'instancetype.kubevirt.io:view', groups: ['system:authenticated'], rules: [rule(instancetypes, clusterInstancetypes, read)] },
]

const records = ['hardwarerecords']
const imports = ['datavolumes', 'datasources', 'dataimportcrons', 'volumeimportsources', 'volumeuploadsources', 'volumeclonesources']
/** The right to copy volumes into other namespaces. */
const cloneSource = rule('cdi.kubevirt.io', ['datavolumes/source'], ['create'])
const uploads = rule('upload.cdi.kubevirt.io', ['uploadtokenrequests'], ['create'])

/** Roles for kinds that KubeVirt's roles do not have: our own, and those of CDI that are served. */
const otherRoles: readonly UserRole[] = [
  // Deleting a record makes virt-handler write a new one; users cannot write records.
  ...(['admin', 'edit'] as const).map((name) => ({
    name: `steadyvm.io:${name}`,
    aggregateTo: name,
    rules: [rule('steadyvm.io', records, [...read, 'delete'])],
  })),
  { name: 'steadyvm.io:view', aggregateTo: 'view', rules: [rule('steadyvm.io', records, read)] },
  ...(['admin', 'edit'] as const).map((name) => ({
    name: `cdi.kubevirt.io:${name}`,
    aggregateTo: name,
    rules: [rule('cdi.kubevirt.io', imports, all), cloneSource, uploads],
  })),
  {
    name: 'cdi.kubevirt.io:view',
    aggregateTo: 'view',
    rules: [rule('cdi.kubevirt.io', [...imports, 'cdiconfigs', 'storageprofiles', 'objecttransfers'], read)],
  },
  { name: 'cdi.kubevirt.io:clone-sourcer', rules: [cloneSource] },
  {
    name: 'cdi.kubevirt.io:config-reader',
    groups: ['system:authenticated'],
    rules: [rule('cdi.kubevirt.io', ['cdiconfigs', 'storageprofiles'], read)],
  },
]

/**
 * ClusterRoles for users. virt-operator installs them with each release, in machine mode and on
 * clusters. Without wildcards: virt-operator can only grant rights that it has.
 */
export const userRoles: readonly UserRole[] = [...kubevirtRoles, ...otherRoles]

/** All rules that the roles grant. */
export const userRules: readonly PolicyRule[] = userRoles.flatMap(({ rules }) => rules)
