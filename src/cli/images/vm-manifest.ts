import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { toYaml } from '#apimachinery/json/yaml.ts'
import { importNames } from '#features/data-import-cron/index.ts'
import { CommandError } from '../context.ts'
import { dataVolumeSource, parseHardware } from './image-objects.ts'
import type { DiskOrigin } from './image-source.ts'

/** A VM as a user asks for it. */
export interface VmWish {
  readonly namespace: string
  readonly name: string
  readonly origin: DiskOrigin
  /** Labels of the DataSource, empty for other origins. */
  readonly imageLabels: Readonly<Record<string, string>>
  readonly instancetype?: string
  readonly preference?: string
  /** Memory of a guest without an instance type. */
  readonly memory?: string
  /** Size of the disk; undefined for that of the image. */
  readonly size?: string
  readonly storageClass?: string
  /** Line of an SSH public key. */
  readonly sshKey?: string
  /** User in the guest; undefined for that of the image. */
  readonly user?: string
}

/** Name of the VM's root volume, whose image names the hardware. */
const root = 'root'
const seed = 'cloudinit'
const label = 'instancetype.kubevirt.io/default-'

/** Name of the DataVolume of the root disk. Pure. */
export function rootVolumeName(vm: string): string {
  return `${vm}-${root}`
}

/** Returns the VM. Pure. @throws CommandError if nothing says how much memory it has */
export function vmManifest(wish: VmWish): VirtualMachine {
  const { namespace, name, instancetype, preference, memory, imageLabels } = wish
  const infersType = instancetype === undefined && memory === undefined && (imageLabels[`${label}instancetype`] ?? '') !== ''
  const infersPreference = preference === undefined && (imageLabels[`${label}preference`] ?? '') !== ''
  if (instancetype === undefined && memory === undefined && !infersType)
    throw new CommandError('Nothing says what hardware the VM has, since its image names no instance type: add --type or --memory')
  if (instancetype !== undefined && memory !== undefined)
    throw new CommandError('--memory is for VMs without --type: the instance type says it')
  const hasPreference = preference !== undefined || infersPreference
  // A preference chooses the bus. Without one, it would be SATA, which is slow.
  const disk = hasPreference ? {} : { bus: 'virtio' }
  const userData = cloudConfig(wish)
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Always',
      ...(instancetype === undefined ? {} : { instancetype: parseHardware('instancetype', instancetype) }),
      ...(infersType ? { instancetype: { inferFromVolume: root } } : {}),
      ...(preference === undefined ? {} : { preference: parseHardware('preference', preference) }),
      ...(infersPreference ? { preference: { inferFromVolume: root } } : {}),
      dataVolumeTemplates: [{ metadata: metadataOf(wish), spec: dataVolumeSpec(wish) }],
      template: {
        spec: {
          domain: {
            ...(memory === undefined ? {} : { memory: { guest: memory } }),
            devices: {
              disks: [{ name: root, disk }, ...(userData === undefined ? [] : [{ name: seed, disk }])],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [
            { name: root, dataVolume: { name: rootVolumeName(name) } },
            ...(userData === undefined ? [] : [{ name: seed, cloudInitNoCloud: { userData } }]),
          ],
        },
      },
    },
  }
}

/** A disk that is uploaded must be there before the guest that would wait for it. */
function metadataOf({ name, origin }: VmWish): { name: string; annotations?: Record<string, string> } {
  return {
    name: rootVolumeName(name),
    ...(origin.kind === 'file' ? { annotations: { [importNames.immediateBinding]: 'true' } } : {}),
  }
}

function dataVolumeSpec({ origin, size, storageClass }: VmWish): DataVolumeSpec {
  const storage = {
    ...(size === undefined ? {} : { resources: { requests: { storage: size } } }),
    ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
  }
  if (origin.kind !== 'dataSource') return { source: dataVolumeSource({ source: origin }), storage }
  const { name, namespace } = origin
  return { sourceRef: { kind: 'DataSource', name, ...(namespace === undefined ? {} : { namespace }) }, storage }
}

/** Returns the user data of cloud-init; undefined when there is nothing to tell the guest. Pure. */
function cloudConfig({ sshKey, user }: VmWish): string | undefined {
  if (sshKey === undefined && user === undefined) return undefined
  const config = { ...(user === undefined ? {} : { user }), ...(sshKey === undefined ? {} : { ssh_authorized_keys: [sshKey] }) }
  return `#cloud-config\n${toYaml(config)}`
}

const keyTypes = /^(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-\S+|sk-\S+) \S+/

/** Reads the file of an SSH public key. Pure. @throws CommandError */
export function parseSshKey(content: string, path: string): string {
  const line = content.trim()
  if (line.includes('PRIVATE KEY'))
    throw new CommandError(`${path} is a private key, which must stay here: name the public one, ${path}.pub`)
  if (line.includes('\n') || !keyTypes.test(line))
    throw new CommandError(`${path} is no SSH public key: it must be one line, such as "ssh-ed25519 AAAA…"`)
  return line
}
