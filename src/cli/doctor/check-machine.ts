import { access, constants, stat, statfs } from 'node:fs/promises'
import { freemem, totalmem, availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import {
  chooseAccelerator,
  chooseFirmware,
  findFirmware,
  findProgram,
  findQemu,
  inspectHost,
  QemuUnavailable,
  queryCapabilities,
} from '#qemu/index.ts'
import { namespaceCommand } from '#features/launcher/index.ts'
import { proposeConfig, readConfig, SetupError } from '#machine/home/config.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { homeRegistryFile } from '#machine/home/home-registry.ts'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { findProcesses } from '#machine/supervisor/processes.ts'
import { controlGroupObstacle } from '#runtime/isolation/control-groups.ts'
import { cannotChangeUser } from '#runtime/isolation/process-user.ts'
import { makeDirectory } from '#runtime/process/make-directory.ts'
import type { CliContext } from '#cli/context.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import type { Finding } from './finding.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

/** Checks KVM, QEMU, firmware, ports and disk space. */
export async function checkMachine(context: CliContext, dataDir: string | undefined): Promise<readonly Finding[]> {
  const directory = homeDirectory(context, dataDir)
  const path = (context.process.env['PATH'] ?? '').split(delimiter)
  return [
    accelerator(context.process.env['STEADYVM_ACCELERATOR']),
    await qemu(context.process.env['PATH']),
    await program(path, 'qemu-img', 'qemu-utils'),
    await program(path, 'xz', 'xz-utils'),
    await firmware(),
    await tpm(context.process.env['PATH']),
    network(),
    isolation(),
    limits(),
    await nullDevice(),
    await kubectl(path),
    memory(),
    await space(directory.root),
    await ports(directory.root, context.process.env),
  ]
}

function accelerator(override: string | undefined): Finding {
  const choice = chooseAccelerator(inspectHost(), override)
  return { check: 'accelerator', state: choice.accelerator === 'kvm' ? 'ok' : 'warn', detail: choice.reason }
}

async function qemu(path: string | undefined): Promise<Finding> {
  try {
    const binary = await findQemu(path)
    const { accelerator: kind } = chooseAccelerator(inspectHost())
    const { version, machineAliases } = await queryCapabilities(binary, kind)
    return { check: 'QEMU', state: 'ok', detail: `${version} at ${binary}, newest machine type ${machineAliases['q35'] ?? 'unknown'}` }
  } catch (error) {
    if (error instanceof QemuUnavailable) return { check: 'QEMU', state: 'bad', detail: error.message }
    throw error
  }
}

async function program(path: readonly string[], name: string, debianPackage: string): Promise<Finding> {
  const binary = await find(path, name)
  if (binary !== undefined) return { check: name, state: 'ok', detail: binary }
  return { check: name, state: 'bad', detail: `not found: install it with "apt-get install ${debianPackage}"` }
}

async function firmware(): Promise<Finding> {
  const check = 'UEFI'
  const images = await findFirmware()
  const secure = chooseFirmware(images, { machineType: 'pc-q35-7.2', secureBoot: true })
  if (images.length === 0) {
    return { check, state: 'warn', detail: 'no firmware: guests that ask for UEFI do not start; install it with "apt-get install ovmf"' }
  }
  return {
    check,
    state: 'ok',
    detail: `${images.length} kinds of firmware, ${secure === undefined ? 'none with keys for' : 'also for'} secure boot`,
  }
}

async function tpm(path: string | undefined): Promise<Finding> {
  const binary = await findProgram('swtpm', path)
  if (binary !== undefined) return { check: 'TPM', state: 'ok', detail: binary }
  return {
    check: 'TPM',
    state: 'warn',
    detail: 'no swtpm: guests that ask for a TPM do not start; install it with "apt-get install swtpm"',
  }
}

function network(): Finding {
  const check = 'network'
  const obstacle = podNetworkObstacle()
  if (obstacle === undefined) {
    const reached = process.geteuid?.() === 0 ? '' : '; without root, this machine reaches them by "port-forward" and "ssh" only'
    const detail = 'guests have addresses that last, and reach each other and the outside, as far as NetworkPolicies allow it'
    return { check, state: 'ok', detail: `${detail}${reached}` }
  }
  return { check, state: 'warn', detail: `guests reach nothing, and are reached by their console only: ${obstacle}` }
}

function isolation(): Finding {
  const check = 'isolation'
  const obstacle = cannotChangeUser(namespaceCommand)
  if (obstacle === undefined) return { check, state: 'ok', detail: 'the QEMU of each VM has a user of its own, and sees its own files' }
  return { check, state: 'warn', detail: `a guest that escapes from QEMU has the rights of the user who starts steadyvm: ${obstacle}` }
}

function limits(): Finding {
  const check = 'limits'
  const obstacle = controlGroupObstacle()
  if (obstacle === undefined) return { check, state: 'ok', detail: 'limits of CPU and memory are enforced' }
  return { check, state: 'warn', detail: `limits of CPU and memory have no effect: ${obstacle}` }
}

/** QEMU finds out at this device how it can lock images, with the rights of its own user. */
async function nullDevice(): Promise<Finding> {
  const check = '/dev/null'
  const everybody = 0o666
  const mode = (await stat('/dev/null')).mode & 0o777
  if ((mode & everybody) === everybody) return { check, state: 'ok', detail: 'every user may write to it' }
  const effect = 'locks of disk images get lost more easily, and the network of guests without root does not start'
  return { check, state: 'warn', detail: `its mode is ${mode.toString(8)}: ${effect}; repair it with "chmod 666 /dev/null"` }
}

async function kubectl(path: readonly string[]): Promise<Finding> {
  const binary = await find(path, 'kubectl')
  if (binary !== undefined) return { check: 'kubectl', state: 'ok', detail: binary }
  return {
    check: 'kubectl',
    state: 'warn',
    detail: 'not found: VMs run without it, but you will want it (https://kubernetes.io/docs/tasks/tools)',
  }
}

function memory(): Finding {
  const detail = `${(freemem() / GIB).toFixed(1)} GiB of ${(totalmem() / GIB).toFixed(1)} GiB free, ${availableParallelism()} CPUs`
  return { check: 'memory', state: freemem() < GIB ? 'warn' : 'ok', detail }
}

async function space(root: string): Promise<Finding> {
  try {
    await makeDirectory(root, 0o700)
    await access(root, constants.W_OK)
    const { bavail, bsize } = await statfs(root)
    const free = bavail * bsize
    const detail = `${(free / GIB).toFixed(1)} GiB free in "${root}"`
    return { check: 'space', state: free < 100 * MIB ? 'bad' : free < 2 * GIB ? 'warn' : 'ok', detail }
  } catch (error) {
    return { check: 'space', state: 'bad', detail: `cannot write to "${root}": ${(error as Error).message}` }
  }
}

async function ports(root: string, env: CliContext['process']['env']): Promise<Finding> {
  const directory = dataDirectory(root)
  try {
    const running = findProcesses(root).some((found) => found.role === 'apiserver')
    const kept = await readConfig(directory)
    if (running && kept !== undefined) return { check: 'ports', state: 'ok', detail: `the API server listens on 127.0.0.1:${kept.apiPort}` }
    const { apiPort } = await proposeConfig(directory, { port: undefined, nodes: undefined, homeRegistry: homeRegistryFile(env) }, false)
    return { check: 'ports', state: 'ok', detail: `127.0.0.1:${apiPort} and the next ones are free` }
  } catch (error) {
    if (error instanceof SetupError) return { check: 'ports', state: 'bad', detail: error.message }
    throw error
  }
}

async function find(path: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of path) {
    const candidate = join(folder, name)
    if (
      await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return candidate
  }
  return undefined
}
