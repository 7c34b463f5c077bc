import type { ClaimAccessMode, ClaimPropertySet } from '#api/cdi/v1beta1/storage-profile.ts'

/** Name of the provisioner of machine mode. */
export const localProvisioner = 'steadyvm.io/local'

/** What is known of the volumes of a provisioner. */
export interface Capabilities {
  /** Preferred first. */
  readonly sets: readonly ClaimPropertySet[]
  readonly cloneStrategy?: 'copy' | 'snapshot' | 'csi-clone'
  /** Smallest volume. */
  readonly minimum?: string
}

const [rwx, rwo] = ['ReadWriteMany', 'ReadWriteOnce'] as const
const set = (mode: ClaimAccessMode, volumeMode: string): ClaimPropertySet => ({ accessModes: [mode], volumeMode })
const [manyBlock, onceBlock] = [set(rwx, 'Block'), set(rwo, 'Block')]
const [manyFiles, onceFiles] = [set(rwx, 'Filesystem'), set(rwo, 'Filesystem')]

const files = [manyFiles, onceFiles]
const blocks = [manyBlock, onceBlock, onceFiles]

/**
 * Facts of provisioners, from CDI's table and their manuals. Shared volumes come first, as guests
 * on them can be migrated.
 */
const known: Readonly<Record<string, Capabilities>> = {
  // Nodes of a machine share its disk.
  [localProvisioner]: { sets: [manyFiles, onceFiles, manyBlock, onceBlock], cloneStrategy: 'copy' },
  'rancher.io/local-path': { sets: [onceFiles] },
  'k8s.io/minikube-hostpath': { sets: [onceFiles] },
  'kubevirt.io.hostpath-provisioner': { sets: [onceFiles] },
  'kubevirt.io/hostpath-provisioner': { sets: [onceFiles] },
  'nfs.csi.k8s.io': { sets: [manyFiles] },
  'k8s-sigs.io/nfs-subdir-external-provisioner': { sets: [manyFiles] },
  'rbd.csi.ceph.com': { sets: blocks, cloneStrategy: 'csi-clone' },
  'rook-ceph.rbd.csi.ceph.com': { sets: blocks, cloneStrategy: 'csi-clone' },
  'openshift-storage.rbd.csi.ceph.com': { sets: blocks, cloneStrategy: 'csi-clone' },
  'cephfs.csi.ceph.com': { sets: files, cloneStrategy: 'csi-clone' },
  'rook-ceph.cephfs.csi.ceph.com': { sets: files, cloneStrategy: 'csi-clone' },
  'openshift-storage.cephfs.csi.ceph.com': { sets: files, cloneStrategy: 'csi-clone' },
  'linstor.csi.linbit.com': { sets: [manyBlock, onceBlock, onceFiles] },
  'topolvm.io': { sets: [onceBlock, onceFiles], cloneStrategy: 'copy' },
  'topolvm.cybozu.com': { sets: [onceBlock, onceFiles], cloneStrategy: 'copy' },
  'kubernetes.io/aws-ebs': { sets: [onceBlock] },
  'ebs.csi.aws.com': { sets: [onceBlock] },
  'efs.csi.aws.com': { sets: files },
  'disk.csi.azure.com': { sets: [onceBlock] },
  'file.csi.azure.com': { sets: [manyFiles] },
  'pd.csi.storage.gke.io': { sets: [onceBlock, onceFiles], cloneStrategy: 'snapshot' },
  'cinder.csi.openstack.org': { sets: [onceBlock, onceFiles] },
  'manila.csi.openstack.org': { sets: [manyFiles] },
  'csi.vsphere.vmware.com': { sets: [onceBlock, onceFiles] },
  'driver.longhorn.io': { sets: [onceBlock] },
  'pxd.portworx.com': { sets: [manyBlock, manyFiles, onceBlock, onceFiles], cloneStrategy: 'csi-clone' },
  'csi.hpe.com': { sets: blocks, cloneStrategy: 'csi-clone' },
  'block.csi.ibm.com': { sets: blocks, cloneStrategy: 'csi-clone' },
  'csi.ovirt.org': { sets: [onceBlock, onceFiles] },
  'blockvolume.csi.oraclecloud.com': { sets: blocks, cloneStrategy: 'csi-clone' },
  'directpv-min-io': { sets: [onceFiles] },
}

/** Facts of a kind of volumes, where the parameters of the class decide. */
const byParameters: readonly {
  readonly provisioner: string
  readonly matches: (parameters: Readonly<Record<string, string>>) => boolean
  readonly capabilities: Capabilities
}[] = [
  {
    provisioner: 'ebs.csi.aws.com',
    matches: ({ type }) => type === 'io2',
    capabilities: { sets: blocks, minimum: '4Gi' },
  },
  { provisioner: 'ebs.csi.aws.com', matches: ({ type }) => type === 'io1', capabilities: { sets: [onceBlock], minimum: '4Gi' } },
  {
    provisioner: 'ebs.csi.aws.com',
    matches: ({ type }) => type === 'gp2' || type === 'gp3',
    capabilities: { sets: [onceBlock], minimum: '1Gi' },
  },
  {
    provisioner: 'csi.trident.netapp.io',
    matches: ({ backendType = '' }) => backendType.startsWith('ontap-nas'),
    capabilities: { sets: files, cloneStrategy: 'snapshot' },
  },
  {
    provisioner: 'csi.trident.netapp.io',
    matches: ({ backendType = '' }) => backendType.startsWith('ontap-san'),
    capabilities: { sets: [manyBlock], cloneStrategy: 'snapshot' },
  },
  {
    provisioner: 'pd.csi.storage.gke.io',
    matches: ({ type = '' }) => type.startsWith('hyperdisk'),
    capabilities: { sets: blocks, cloneStrategy: 'snapshot', minimum: '4Gi' },
  },
  { provisioner: 'driver.longhorn.io', matches: ({ migratable }) => migratable === 'true', capabilities: { sets: [manyBlock, onceBlock] } },
  {
    provisioner: 'csi.vsphere.vmware.com',
    matches: (parameters) => (parameters['csi.storage.k8s.io/fstype'] ?? '').startsWith('nfs'),
    capabilities: { sets: [manyFiles, onceBlock, onceFiles] },
  },
]

/** Returns what is known of the volumes of a class; undefined for an unknown provisioner. Pure. */
export function capabilitiesOf(provisioner: string, parameters: Readonly<Record<string, string>> = {}): Capabilities | undefined {
  const special = byParameters.find((row) => row.provisioner === provisioner && row.matches(parameters))
  if (special !== undefined) return special.capabilities
  return Object.hasOwn(known, provisioner) ? known[provisioner] : undefined
}
