/** An edit of HyperConverged that its own rules accept, and a rule of KubeVirt refuses. */
export interface RefusedEdit {
  /** Field of HyperConverged that the refusal names. */
  readonly field: string
  /** What a merge patch changes. */
  readonly body: object
  /** What undoes the change. */
  readonly undo: object
  /** KubeVirt's own message. */
  readonly because: RegExp
}

const annotation = 'kubevirt.kubevirt.io/jsonpatch'

function nested(path: string, value: unknown): object {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object
}

/** An edit of one field. `named`: the field that is refused. Default: the field itself. */
function field(path: string, value: unknown, because: RegExp, named = path): RefusedEdit {
  return { field: `spec.${named}`, body: nested(`spec.${path}`, value), undo: nested(`spec.${path}`, null), because }
}

/** A JSON patch that sets one field of the rendered KubeVirt object. */
function patched(path: string, value: unknown, because: RegExp): RefusedEdit {
  const annotations = (text: string | null): object => ({ metadata: { annotations: { [annotation]: text } } })
  const text = JSON.stringify([{ op: 'add', path: `/spec/${path}`, value }])
  return { field: `metadata.annotations[${annotation}]`, body: annotations(text), undo: annotations(null), because }
}

const migrations = 'virtualization.liveMigrationConfig'
const live = 'virtualization.liveUpdateConfiguration'
const updates = 'virtualization.workloadUpdateStrategy'
const certificates = 'security.certConfig'
const atLeast1 = /must be a whole number of at least 1|should be greater than or equal to 1/
const quantity = /must be a quantity above 0/

/**
 * Edits of fields of HyperConverged, and JSON patches for what no field expresses. The rules are
 * those of KubeVirt's CRD and of virt-api's webhook.
 */
export const refusedByKubeVirt: readonly RefusedEdit[] = [
  field(`${migrations}.parallelMigrationsPerCluster`, 0, atLeast1),
  field(`${migrations}.parallelOutboundMigrationsPerNode`, 0, atLeast1),
  field(`${migrations}.completionTimeoutPerGiB`, 0, atLeast1),
  field(`${migrations}.completionTimeoutPerGiB`, -1, atLeast1),
  field(`${migrations}.progressTimeout`, 0, atLeast1),
  field(`${migrations}.bandwidthPerMigration`, '0Mi', quantity),
  field(`${migrations}.bandwidthPerMigration`, '0.0', quantity),
  field(live, { maxHotplugRatio: 0 }, atLeast1, `${live}.maxHotplugRatio`),
  field(live, { maxCpuSockets: 0 }, atLeast1, `${live}.maxCpuSockets`),
  field(live, { maxCpuSockets: -1 }, atLeast1, `${live}.maxCpuSockets`),
  field(live, { maxGuest: '0' }, quantity, `${live}.maxGuest`),
  field(live, { maxGuest: '-1Gi' }, quantity, `${live}.maxGuest`),
  field(`${updates}.workloadUpdateMethods`, ['Restart'], /must be a list of LiveMigrate, Evict/),
  field(`${updates}.workloadUpdateMethods`, ['LiveMigrate', 'Pause'], /must be a list of LiveMigrate, Evict/),
  field(`${updates}.batchEvictionSize`, 0, atLeast1),
  field(`${updates}.batchEvictionInterval`, '-1m', /must be a duration of at least 0/),
  field(`${updates}.batchEvictionInterval`, 'often', /must be a duration of at least 0/),
  field(
    `${certificates}.ca`,
    { duration: '48h', renewBefore: '48h' },
    /must be shorter than the duration/,
    `${certificates}.ca.renewBefore`,
  ),
  field(
    `${certificates}.server`,
    { duration: '24h', renewBefore: '24h' },
    /must be shorter than the duration/,
    `${certificates}.server.renewBefore`,
  ),
  patched('infra', { replicas: 0 }, /replicas/),
  patched('workloads', { replicas: 2 }, /there is one node agent on each node/),
  patched('imagePullPolicy', 'Sometimes', /must be Always, IfNotPresent or Never/),
  patched('uninstallStrategy', 'Perhaps', /must be RemoveWorkloads or BlockUninstallIfWorkloadsExist/),
  patched('productName', 'two words', /becomes a label/),
  patched('productVersion', 'v'.repeat(64), /becomes a label/),
  patched('productComponent', '-', /becomes a label/),
  patched(
    'customizeComponents',
    { patches: [{ resourceName: 'virt-api', resourceType: 'Deployment', patch: '{', type: 'merge' }] },
    /patches/,
  ),
  patched(
    'customizeComponents',
    { patches: [{ resourceName: '', resourceType: 'Deployment', patch: '{}', type: 'merge' }] },
    /resourceName/,
  ),
  patched('customizeComponents', { patches: [{ resourceName: 'virt-api', resourceType: 'Deployment', patch: '{}' }] }, /type.*Required/),
  patched('certificateRotateStrategy/selfSigned/caRotateInterval', '24h', /say it in one of the two ways/),
  patched('certificateRotateStrategy/selfSigned/ca/renewBefore', '-1h', /must be a duration above 0/),
  patched('workloads', { nodePlacement: { tolerations: [{ key: 'a', operator: 'Bogus' }] } }, /Unsupported value: "Bogus"/),
  patched('configuration/evictionStrategy', 'Maybe', /must be one of None, LiveMigrate/),
  patched('configuration/vmRolloutStrategy', 'Sometimes', /Unsupported value: "Sometimes"/),
  patched('configuration/instancetype', { referencePolicy: 'guess' }, /Unsupported value: "guess"/),
  patched('configuration/cpuRequest', 'much', /should match|must be a quantity/),
  patched('configuration/network/defaultNetworkInterface', 'slirp', /must be one of bridge, masquerade/),
  patched('configuration/migrations/maxDowntimeMs', 0, atLeast1),
  patched('configuration/migrations/allowPostCopy', 'yes', /boolean/),
  patched('configuration/developerConfiguration/cpuAllocationRatio', 0, atLeast1),
  patched('configuration/developerConfiguration/memoryOvercommit', 0, atLeast1),
  patched('configuration/developerConfiguration/disabledFeatureGates/-', 'CPUManager', /must not name "CPUManager"/),
]
