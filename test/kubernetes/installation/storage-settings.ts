import { storageClasses } from '../storage/persistent-volume.ts'
import { textAt, type TestCommands } from '../../support/machine.ts'

/**
 * Tells what only the administrator of a cluster knows: what volumes of an unknown provisioner can
 * do, and at which address clients upload.
 */
export async function describeStorage({ insist, getJson }: TestCommands): Promise<void> {
  const patch = (what: string, spec: object): Promise<string> => insist(['patch', what, '--type=merge', '-p', JSON.stringify({ spec })])
  for (const { metadata, volumeBindingMode } of storageClasses) {
    const accessModes = [...(volumeBindingMode === 'Immediate' ? ['ReadWriteMany'] : []), 'ReadWriteOnce']
    const claimPropertySets = ['Filesystem', 'Block'].flatMap((volumeMode) =>
      accessModes.map((mode) => ({ accessModes: [mode], volumeMode })),
    )
    await patch(`storageprofile/${metadata.name ?? ''}`, { claimPropertySets, cloneStrategy: 'copy' })
  }
  const address = textAt(await getJson('service', 'virt-api', '-n', 'kubevirt'), 'spec.clusterIP')
  await patch('cdiconfig/config', { uploadProxyURLOverride: `https://${address}` })
}
