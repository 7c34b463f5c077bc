import { badInput } from '../../exit-codes.ts'

/** A volume of a VM, of one of virtctl's flags. */
export interface VmVolume {
  readonly name: string
  readonly bootOrder?: number
  /** The volume without its name. */
  readonly source: Readonly<Record<string, unknown>>
  /** A template of a DataVolume that fills it. */
  readonly template?: object
  /** True if its claim may name an instance type and a preference. */
  readonly hasLabels: boolean
}

type Flag = 'volume-containerdisk' | 'volume-pvc' | 'volume-import' | 'volume-sysprep'
type Settings = Readonly<Record<string, string>>

/** Keys of each flag beside name and bootorder. */
const keysOf: Readonly<Record<Flag, readonly string[]>> = {
  'volume-containerdisk': ['src'],
  'volume-pvc': ['src'],
  'volume-import': ['type', 'src', 'url', 'size'],
  'volume-sysprep': ['src', 'type'],
}

/**
 * Reads a flag such as `--volume-import type:pvc,src:images/fedora,size:5Gi`. Pure. @throws
 * TaskFailed
 */
export function volumeOf(flag: Flag, text: string, defaultName: string): VmVolume {
  const settings = settingsOf(flag, text)
  const bootOrder = settings['bootorder']
  if (bootOrder !== undefined && !/^[1-9]\d{0,4}$/.test(bootOrder)) throw refusal(flag, text, 'bootorder is no number above zero')
  const name = settings['name'] ?? (flag === 'volume-sysprep' ? 'sysprepdisk' : defaultName)
  const common = { name, ...(bootOrder === undefined ? {} : { bootOrder: Number(bootOrder) }) }
  const src = (): string => settings['src'] ?? reject(flag, text, 'it lacks src')
  switch (flag) {
    case 'volume-containerdisk':
      return { ...common, source: { containerDisk: { image: src() } }, hasLabels: false }
    case 'volume-pvc':
      return { ...common, source: { persistentVolumeClaim: { claimName: src() } }, hasLabels: true }
    case 'volume-sysprep':
      return { ...common, source: { sysprep: sysprepSource(settings, src(), text) }, hasLabels: false }
    case 'volume-import': {
      const { size, type = '' } = settings
      const template = {
        metadata: { name },
        spec: { ...importSource(settings, text), storage: size === undefined ? {} : { resources: { requests: { storage: size } } } },
      }
      return { ...common, source: { dataVolume: { name } }, template, hasLabels: type !== 'blank' }
    }
  }
}

function settingsOf(flag: Flag, text: string): Settings {
  const settings: Record<string, string> = {}
  for (const part of text.split(',')) {
    const colon = part.indexOf(':')
    const key = part.slice(0, Math.max(0, colon)).trim()
    if (![...keysOf[flag], 'name', 'bootorder'].includes(key)) throw refusal(flag, text, `${JSON.stringify(part)} is not supported`)
    if (settings[key] !== undefined) throw refusal(flag, text, `${key} is there twice`)
    settings[key] = part.slice(colon + 1).trim()
  }
  return settings
}

function sysprepSource({ type = 'configmap' }: Settings, name: string, text: string): object {
  if (type.toLowerCase() === 'configmap') return { configMap: { name } }
  if (type.toLowerCase() === 'secret') return { secret: { name } }
  throw refusal('volume-sysprep', text, `type ${JSON.stringify(type)} is neither configMap nor secret`)
}

/** The source of a DataVolume's template. */
function importSource({ type, src, url, size }: Settings, text: string): object {
  const need = (value: string | undefined, key: string): string => value ?? reject('volume-import', text, `it lacks ${key}`)
  const object = (): object => {
    const [first = '', second] = need(src, 'src').split('/')
    return second === undefined ? { name: first } : { namespace: first, name: second }
  }
  switch (type) {
    case 'blank':
      need(size, 'size')
      return { source: { blank: {} } }
    case 'http':
      need(size, 'size')
      return { source: { http: { url: need(url, 'url') } } }
    case 'registry':
      need(size, 'size')
      return { source: { registry: { url: need(url, 'url') } } }
    case 'pvc':
      return { source: { pvc: object() } }
    case 'snapshot':
      return { source: { snapshot: object() } }
    case 'ds':
      return { sourceRef: { kind: 'DataSource', ...object() } }
    case undefined:
    default:
      throw refusal('volume-import', text, `type ${JSON.stringify(type)} is none of blank, ds, http, pvc, registry, snapshot`)
  }
}

function refusal(flag: Flag, text: string, why: string): Error {
  return badInput(`Parameter virtctl has --${flag}=${text}, which is not possible: ${why}`)
}

function reject(flag: Flag, text: string, why: string): never {
  throw refusal(flag, text, why)
}
