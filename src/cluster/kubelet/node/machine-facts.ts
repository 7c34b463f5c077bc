import { readFileSync } from 'node:fs'
import { arch, availableParallelism, release, totalmem } from 'node:os'
import { readBootId } from '../process/process-identity.ts'

/** Facts about the machine in the Node object. */
export interface MachineFacts {
  readonly cpus: number
  readonly memoryBytes: number
  readonly kernelVersion: string
  readonly osImage: string
  readonly machineId: string
  readonly bootId: string
  /** As Go names it: `amd64`, `arm64`. */
  readonly architecture: string
}

/** Reads them from this machine. */
export function readMachineFacts(): MachineFacts {
  const goNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }
  return {
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(readOr('/etc/os-release'))?.[1] ?? 'Linux',
    machineId: readOr('/etc/machine-id').trim(),
    bootId: readBootId(),
    architecture: goNames[arch()] ?? arch(),
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
