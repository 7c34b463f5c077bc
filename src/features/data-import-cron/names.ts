import { createHash } from 'node:crypto'

/** CDI's labels and annotations of DataImportCrons and what they make, and ours. */
export const names = {
  /** Label of DataSources, DataVolumes and claims: name of their DataImportCron. */
  cronLabel: 'cdi.kubevirt.io/dataImportCron',
  /** Label: the object is deleted with its DataImportCron. */
  cleanupLabel: 'cdi.kubevirt.io/dataImportCron.cleanup',
  /** Label of pods that look a digest up. */
  pollerLabel: 'cdi.kubevirt.io/dataImportCronPoller',
  /**
   * On DataImportCrons: digest that the source had when it was last looked up. Users may set it.
   */
  desiredDigest: 'cdi.kubevirt.io/storage.import.sourceDesiredDigest',
  nextCronTime: 'cdi.kubevirt.io/storage.import.nextCronTime',
  lastCronTime: 'cdi.kubevirt.io/storage.import.lastCronTime',
  /** On DataImportCrons: storage class of the last import. */
  storageClass: 'cdi.kubevirt.io/storage.import.storageClass',
  /** On DataVolumes and claims: when the DataSource last began to name the import. */
  lastUseTime: 'cdi.kubevirt.io/storage.import.lastUseTime',
  immediateBinding: 'cdi.kubevirt.io/storage.bind.immediate.requested',
  retainPod: 'cdi.kubevirt.io/storage.pod.retainAfterCompletion',
  /** On claims: `Succeeded` when the content is complete. */
  podPhase: 'cdi.kubevirt.io/storage.pod.phase',
  /** On claims: the volume that they are a copy of, as `namespace/name`. */
  cloneRequest: 'k8s.io/CloneRequest',
  /** On DataVolumes: digest of the image that is imported. */
  importedDigest: 'steadyvm.io/imported-digest',
  /** On DataImportCrons: time for an import, after which it is begun anew. Default 6 hours. */
  importDeadline: 'steadyvm.io/import-deadline',
  /** On DataImportCrons: digest or name of the import that the DataSource is to name. */
  pin: 'steadyvm.io/pin-import',
  /**
   * On DataImportCrons: DataSource that is to lead to theirs. That of the architecture which VMs
   * have by default leads to the DataSource of that architecture.
   */
  defaultDataSource: 'steadyvm.io/default-data-source',
  /** On DataImportCrons: what a guest of an image must reach before the DataSource names it. */
  verifyBoot: 'steadyvm.io/verify-boot',
  verifyTimeout: 'steadyvm.io/verify-boot-timeout',
  verifyMemory: 'steadyvm.io/verify-boot-memory',
  /** On claims: result of that, `passed` or `failed`. */
  bootResult: 'steadyvm.io/boot-result',
  bootMessage: 'steadyvm.io/boot-message',
  /** On VMs that verify an image: name of the import. */
  verifies: 'steadyvm.io/verifies-import',
} as const

/** Conditions beside CDI's. */
export const conditions = {
  /** The source could be asked for its digest. */
  polled: 'steadyvm.io/Polled',
  /** The image boots. */
  verified: 'steadyvm.io/Verified',
} as const

/** Labels of a DataImportCron that its imports get: hardware of VMs that boot them. */
export const passedLabels: readonly string[] = [
  'instancetype.kubevirt.io/default-instancetype',
  'instancetype.kubevirt.io/default-instancetype-kind',
  'instancetype.kubevirt.io/default-preference',
  'instancetype.kubevirt.io/default-preference-kind',
  'kubevirt.io/dynamic-credentials-support',
]

/** Longest label of a host name. */
const longest = 63

/**
 * Name of an object that belongs to another one: prefix, name, and a hash of what identifies it.
 * Pure.
 */
export function derivedName(prefix: string, name: string, identity: string): string {
  const suffix = hashOf(identity)
  const room = longest - prefix.length - suffix.length - 2
  return `${prefix}-${name.replaceAll('.', '-').slice(0, room).replace(/-+$/, '')}-${suffix}`
}

/** Eight hexadecimal digits. Pure. */
export function hashOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 8)
}
