import type { CloudInitNoCloudSource } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { stableUuid } from '#features/cluster-config/index.ts'
import { makeIsoImage, type IsoFile } from './iso-image.ts'

/** Data of cloud-init that Secrets hold. */
export interface SecretCloudInit {
  readonly userData?: Buffer
  readonly networkData?: Buffer
  /** Keys for the default user. */
  readonly sshKeys: readonly string[]
}

/** Returns the NoCloud seed of cloud-init as a CD image. */
export function makeNoCloudSeed(vmi: VirtualMachineInstance, source: CloudInitNoCloudSource, secret: SecretCloudInit): Buffer {
  const userData = secret.userData ?? contentOf(source.userData, source.userDataBase64)
  const networkData = secret.networkData ?? contentOf(source.networkData, source.networkDataBase64)
  const files: IsoFile[] = [
    { name: 'meta-data', content: Buffer.from(JSON.stringify(metaData(vmi, secret.sshKeys))) },
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
function metaData(vmi: VirtualMachineInstance, sshKeys: readonly string[]): Record<string, unknown> {
  const { name = '', uid = '', annotations = {} } = vmi.metadata
  const instancetype = annotations['kubevirt.io/cluster-instancetype-name'] ?? annotations['kubevirt.io/instancetype-name']
  return {
    'instance-id': vmi.spec.domain.firmware?.uuid ?? stableUuid(uid),
    'local-hostname': vmi.spec.hostname ?? name,
    ...(instancetype === undefined ? {} : { 'instance-type': instancetype }),
    ...(sshKeys.length === 0 ? {} : { 'public-keys': Object.fromEntries(sshKeys.map((key, index) => [String(index), key])) }),
  }
}
