import type { CloudInitNoCloudSource } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { stableUuid } from '#features/cluster-config/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import { makeIsoImage, type IsoFile } from './iso-image.ts'

/**
 * Returns the NoCloud seed of cloud-init as a CD image. Data in Secrets is not supported yet.
 * @throws UnsupportedGuest
 */
export function makeNoCloudSeed(vmi: VirtualMachineInstance, volume: string, source: CloudInitNoCloudSource): Buffer {
  if (source.secretRef !== undefined || source.networkDataSecretRef !== undefined) {
    throw new UnsupportedGuest(`volume "${volume}" must carry its cloud-init data itself: data in Secrets is not supported yet`)
  }
  const userData = contentOf(source.userData, source.userDataBase64)
  const networkData = contentOf(source.networkData, source.networkDataBase64)
  const files: IsoFile[] = [
    { name: 'meta-data', content: Buffer.from(JSON.stringify(metaData(vmi))) },
    { name: 'user-data', content: userData ?? Buffer.alloc(0) },
  ]
  if (networkData !== undefined) files.push({ name: 'network-config', content: networkData })
  return makeIsoImage('cidata', files)
}

function contentOf(text: string | undefined, base64: string | undefined): Buffer | undefined {
  if (text !== undefined && text !== '') return Buffer.from(text)
  return base64 === undefined || base64 === '' ? undefined : Buffer.from(base64, 'base64')
}

/** The instance ID follows the guest's UUID: cloud-init runs first-boot modules once per ID. */
function metaData(vmi: VirtualMachineInstance): Record<string, string> {
  const { name = '', uid = '', annotations = {} } = vmi.metadata
  const instancetype = annotations['kubevirt.io/cluster-instancetype-name'] ?? annotations['kubevirt.io/instancetype-name']
  return {
    'instance-id': vmi.spec.domain.firmware?.uuid ?? stableUuid(uid),
    'local-hostname': vmi.spec.hostname ?? name,
    ...(instancetype === undefined ? {} : { 'instance-type': instancetype }),
  }
}
