import { parseArgs } from 'node:util'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { badInput } from '../../exit-codes.ts'
import { volumeOf, type VmVolume } from './virtctl-volumes.ts'

const string = { type: 'string' } as const
const list = { type: 'string', multiple: true } as const
const flags = {
  name: string,
  'run-strategy': string,
  'termination-grace-period': string,
  memory: string,
  instancetype: string,
  preference: string,
  'infer-instancetype': { type: 'boolean' },
  'infer-preference': { type: 'boolean' },
  'infer-instancetype-from': string,
  'infer-preference-from': string,
  'volume-containerdisk': list,
  'volume-pvc': list,
  'volume-import': list,
  'volume-sysprep': list,
  'cloud-init-user-data': string,
  'cloud-init-network-data': string,
} as const

/** Memory of a guest for which nothing else says it, as in virtctl. */
const defaultMemory = '512Mi'

/**
 * Makes the VM that `virtctl create vm` makes of its arguments. Pure. @throws TaskFailed for flags
 * that are not supported
 */
export function virtctlVm(words: readonly string[], defaultName: string): VirtualMachine {
  const values = parse(words)
  const name = values.name ?? defaultName
  const volumes = volumesOf(name, values)
  const boot = volumes.toSorted((a, b) => (a.bootOrder ?? Infinity) - (b.bootOrder ?? Infinity)).find(({ hasLabels }) => hasLabels)?.name
  if (values.memory !== undefined && values.instancetype !== undefined)
    throw badInput('Parameter virtctl may have only one of --memory and --instancetype')
  const instancetype = matcher('instancetype', values.instancetype, {
    isAsked: values['infer-instancetype'],
    from: values['infer-instancetype-from'],
    boot: values.memory === undefined ? boot : undefined,
  })
  const preference = matcher('preference', values.preference, {
    isAsked: values['infer-preference'],
    from: values['infer-preference-from'],
    boot,
  })
  const isCertain = instancetype !== undefined && !('inferFromVolumeFailurePolicy' in instancetype)
  const memory = values.memory ?? (isCertain ? undefined : defaultMemory)
  const templates = volumes.flatMap(({ template }) => (template === undefined ? [] : [template]))
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy: values['run-strategy'] ?? 'Always',
      ...(instancetype === undefined ? {} : { instancetype }),
      ...(preference === undefined ? {} : { preference }),
      ...(templates.length === 0 ? {} : { dataVolumeTemplates: templates }),
      template: {
        spec: {
          terminationGracePeriodSeconds: graceOf(values['termination-grace-period']),
          domain: {
            ...(memory === undefined ? {} : { memory: { guest: memory } }),
            devices: {
              disks: volumes.flatMap(({ name: disk, bootOrder }) => (bootOrder === undefined ? [] : [{ name: disk, bootOrder, disk: {} }])),
            },
          },
          volumes: volumes.map(({ name: volume, source }) => ({ name: volume, ...source })),
        },
      },
    },
  } as unknown as VirtualMachine
}

type Values = ReturnType<typeof parse>

function parse(words: readonly string[]) {
  // virtctl takes `--infer-instancetype=false`.
  const args = words.map((word) =>
    word.replace(/^--(infer-(?:instancetype|preference))=false$/, '--no-$1').replace(/^(--infer-[a-z]+)=true$/, '$1'),
  )
  try {
    return parseArgs({ args, options: flags, strict: true, allowPositionals: false, allowNegative: true }).values
  } catch (cause) {
    const known = Object.keys(flags).map((flag) => `--${flag}`)
    throw badInput(
      `Parameter virtctl is not supported: ${(cause as Error).message}; supported are ${known.join(', ')}. Give a manifest instead`,
    )
  }
}

function volumesOf(vm: string, values: Values): readonly VmVolume[] {
  const kinds = ['volume-containerdisk', 'volume-pvc', 'volume-import', 'volume-sysprep'] as const
  const disks = kinds.flatMap((kind) =>
    (values[kind] ?? []).map((text, index) => volumeOf(kind, text, `${vm}-${kind.replace('volume-', '')}-${index}`)),
  )
  const [userData, networkData] = [values['cloud-init-user-data'], values['cloud-init-network-data']]
  if (userData === undefined && networkData === undefined) return disks
  const source = {
    cloudInitNoCloud: {
      ...(userData === undefined ? {} : { userDataBase64: userData }),
      ...(networkData === undefined ? {} : { networkDataBase64: networkData }),
    },
  }
  return [...disks, { name: 'cloudinitdisk', source, hasLabels: false }]
}

/** An instance type or a preference: as it is given, or inferred from a volume. */
function matcher(
  flag: 'instancetype' | 'preference',
  given: string | undefined,
  { isAsked, from, boot }: { readonly isAsked: boolean | undefined; readonly from: string | undefined; readonly boot: string | undefined },
): object | undefined {
  if (given !== undefined) {
    if (isAsked === true || from !== undefined) throw badInput(`Parameter virtctl may have only one of --${flag} and --infer-${flag}`)
    const [kind, name] = given.includes('/') ? given.split('/', 2) : [undefined, given]
    return { name, ...(kind === undefined ? {} : { kind }) }
  }
  if (from !== undefined) return { inferFromVolume: from }
  if (isAsked === false) return undefined
  if (boot === undefined) {
    if (isAsked === true) throw badInput(`Parameter virtctl has no volume for --infer-${flag}: add --volume-pvc or --volume-import`)
    return undefined
  }
  return { inferFromVolume: boot, ...(isAsked === true ? {} : { inferFromVolumeFailurePolicy: 'Ignore' }) }
}

function graceOf(text: string = '180'): number {
  if (!/^\d{1,9}$/.test(text)) throw badInput(`Parameter virtctl has --termination-grace-period=${text}, which is no number of seconds`)
  return Number(text)
}
