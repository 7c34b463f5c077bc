/** CDI's annotations on claims and DataVolumes, and ours. */
export const names = {
  /** On claims: phase of the worker's pod. `Succeeded`: the volume is filled, for good. */
  podPhase: 'cdi.kubevirt.io/storage.pod.phase',
  podReady: 'cdi.kubevirt.io/storage.pod.ready',
  podRestarts: 'cdi.kubevirt.io/storage.pod.restarts',
  running: 'cdi.kubevirt.io/storage.condition.running',
  runningMessage: 'cdi.kubevirt.io/storage.condition.running.message',
  runningReason: 'cdi.kubevirt.io/storage.condition.running.reason',
  /** On claims: the volume cannot be filled, and trying again is useless. */
  fatalError: 'cdi.kubevirt.io/storage.import.fatalError',
  source: 'cdi.kubevirt.io/storage.import.source',
  endpoint: 'cdi.kubevirt.io/storage.import.endpoint',
  importPod: 'cdi.kubevirt.io/storage.import.importPodName',
  checksum: 'cdi.kubevirt.io/storage.import.checksum',
  contentType: 'cdi.kubevirt.io/storage.contentType',
  preallocationRequested: 'cdi.kubevirt.io/storage.preallocation.requested',
  /** On claims: clients upload the content. */
  uploadTarget: 'cdi.kubevirt.io/storage.upload.target',
  /** On claims: name of the DataVolume, whose content is there already. */
  populatedFor: 'cdi.kubevirt.io/storage.populatedFor',
  prePopulated: 'cdi.kubevirt.io/storage.prePopulated',
  /** On claims: UID of the DataVolume that it was created for. */
  createdFor: 'cdi.kubevirt.io/createdForDataVolume',
  cloneType: 'cdi.kubevirt.io/cloneType',
  cloneRequest: 'k8s.io/CloneRequest',
  /** On claims that are copies of a VolumeSnapshot: its namespace and name. */
  snapshotRequest: 'steadyvm.io/snapshot-request',
  /** On claims: why a worker copies the volume, and not the driver. */
  cloneFallback: 'cdi.kubevirt.io/cloneFallbackReason',
  permissiveClone: 'cdi.kubevirt.io/permissiveClone',
  /** On DataVolumes and claims: a worker may be the first consumer. Any value counts. */
  immediateBinding: 'cdi.kubevirt.io/storage.bind.immediate.requested',
  retainPod: 'cdi.kubevirt.io/storage.pod.retainAfterCompletion',
  allowAdoption: 'cdi.kubevirt.io/allowClaimAdoption',
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On claims of others: they are filled by CDI's populators, or by another controller. */
  externalPopulation: 'cdi.kubevirt.io/externalPopulation',
  /** On claims that a driver fills: the size that was asked for, if the source is smaller. */
  wantedSize: 'steadyvm.io/wanted-size',
  /** On claims that name their content: the claim that is filled in their place. */
  primeClaim: 'cdi.kubevirt.io/storage.populator.pvcPrime',
  /** On claims that name their content: how much of it is there. */
  populatorProgress: 'cdi.kubevirt.io/storage.populator.progress',
  /** On DataVolumes: duration after which an import that has not ended fails. */
  deadline: 'steadyvm.io/import-deadline',
  /** On worker pods: PEM of the authority that signed the worker's certificate. */
  workerAuthority: 'steadyvm.io/worker-authority',
  /** Label of pods that serve a volume to a worker that cannot have it: UID of that worker. */
  servesLabel: 'steadyvm.io/serves-worker',
  /** On such pods: namespace and name of that worker's claim. */
  servesClaim: 'steadyvm.io/serves-claim',
  /** Label of claims that snapshots are restored to for a worker: UID of the claim it fills. */
  restoredForLabel: 'steadyvm.io/restored-for',
  /** On such claims: namespace and name of that claim. */
  restoredFor: 'steadyvm.io/restored-for-claim',
  /** Label of worker pods: UID of the claim. */
  fillsLabel: 'steadyvm.io/fills-claim',
} as const

/** Labels that go from the source to the volume, so that VMs infer their hardware from it. */
export const instancetypeLabels: readonly string[] = [
  'instancetype.kubevirt.io/default-instancetype',
  'instancetype.kubevirt.io/default-instancetype-kind',
  'instancetype.kubevirt.io/default-preference',
  'instancetype.kubevirt.io/default-preference-kind',
]
