import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launcherUser } from '#features/launcher/index.ts'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { splitWords } from '../../program/split-words.ts'
import type { TaskContext, TaskDefinition, TaskResults, TaskWorkspace } from '../../task.ts'
import { openClaim } from '../claim-disk.ts'
import { mountedAt } from '../mounted-at.ts'
import { toolArguments } from './arguments.ts'

const mounts = { target: '/mnt/targetpvc', appliance: '/mnt/appliance' } as const

/** Programs of libguestfs, with what they do. */
const tools = {
  'virt-customize': { does: 'Changes the system on the disk of a PersistentVolumeClaim by virt-customize', needsCommands: true },
  'virt-sysprep': { does: 'Seals the system on the disk of a PersistentVolumeClaim by virt-sysprep', needsCommands: false },
} as const

type Tool = keyof typeof tools

/** Runs virt-customize on the disk of a claim. */
export const diskVirtCustomize: TaskDefinition = taskOf('virt-customize')
/** Runs virt-sysprep on the disk of a claim. */
export const diskVirtSysprep: TaskDefinition = taskOf('virt-sysprep')

function taskOf(tool: Tool): TaskDefinition {
  return {
    name: `disk-${tool}`,
    description: `${tools[tool].does}. No guest may use the disk meanwhile.`,
    parameters: [
      {
        name: 'pvc',
        type: 'string',
        description: 'PersistentVolumeClaim with the disk. It must be in the same namespace as the run',
      },
      {
        name: 'virtCommands',
        type: 'string',
        environment: 'VIRT_COMMANDS',
        default: '',
        description: `Commands of ${tool}, one a line, as its option --commands-from-file reads them`,
      },
      { name: 'verbose', type: 'string', default: 'false', description: '"true": the tool tells each step, and each call of libguestfs' },
      {
        name: 'additionalVirtOptions',
        type: 'string',
        environment: 'ADDITIONAL_VIRT_OPTIONS',
        default: '',
        description: `More options of ${tool}, with quotes as in a shell`,
      },
    ],
    results: [],
    workspaces: workspaces(tool),
    volumes: [
      { name: 'targetpvc', mountPath: mounts.target, source: { persistentVolumeClaim: { claimName: '$(params.pvc)' } } },
      { name: 'guestfsappliance', mountPath: mounts.appliance, source: { emptyDir: {} } },
    ],
    environment: { LIBGUESTFS_BACKEND: 'direct' },
    // Few need libguestfs, which is larger than everything else.
    image: 'steadyvm-tasks-disk-virt',
    // Disks of claims belong to QEMU's user.
    user: launcherUser,
    rules: [],
    run: (context) => run(tool, context),
  }
}

/** Folders for files that commands such as `upload` name. */
function workspaces(tool: Tool): readonly TaskWorkspace[] {
  return Array.from({ length: 10 }, (_, index) => {
    const name = `data${String(index + 1).padStart(2, '0')}`
    return { name, description: `Files for commands of ${tool}, or Secrets`, optional: true, mountPath: `/${name}` }
  })
}

async function run(tool: Tool, context: TaskContext): Promise<TaskResults> {
  const { parameters, environment, directory, signal, log } = context
  const commands = parameters.verbatim('virtCommands')
  const options = words(parameters.text('additionalVirtOptions'))
  const isVerbose = parameters.isTrue('verbose')
  if (tools[tool].needsCommands && commands.trim() === '' && options.length === 0)
    throw badInput('There is nothing to do: give virtCommands, such as "install nginx"')
  const disk = await openClaim(environment, mounts.target)
  // They may have passwords: the folder is private, and removed at the end.
  const commandsFile = join(directory, 'commands')
  await writeFile(commandsFile, commands.endsWith('\n') ? commands : `${commands}\n`, { mode: 0o600 })
  log(`${tool} starts a small system of its own, which takes minutes without KVM`)
  const command = [tool, ...toolArguments({ disk, commandsFile, options, isVerbose })]
  const { code, lastLines } = await context
    .runCommand(command, { signal, environment: await toolEnvironment(environment), keepsLastLines: true })
    .catch((error: unknown) => {
      throw isMissing(error) ? notInstalled(tool) : error
    })
  if (code !== 0) throw new TaskFailed(exitCodes.failed, `${tool} ended with exit code ${code}: ${explain(lastLines ?? '')}`)
  log(`${tool} is done`)
  return {}
}

/** libguestfs builds its system in the volume that a pod has for it. */
async function toolEnvironment(environment: TaskContext['environment']): Promise<Readonly<Record<string, string>>> {
  const appliance = mountedAt(environment, mounts.appliance)
  const isThere = await stat(appliance).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return { LIBGUESTFS_BACKEND: environment['LIBGUESTFS_BACKEND'] || 'direct', ...(isThere ? { LIBGUESTFS_CACHEDIR: appliance } : {}) }
}

/** @throws TaskFailed */
function words(text: string): readonly string[] {
  const split = splitWords(text)
  if (split === undefined) throw badInput(`Parameter additionalVirtOptions has a quote or a backslash without an end: ${text}`)
  return split
}

function isMissing(error: unknown): boolean {
  return error instanceof TaskFailed && error.exitCode === exitCodes.preconditionFailed
}

function notInstalled(tool: Tool): TaskFailed {
  return new TaskFailed(
    exitCodes.preconditionFailed,
    `Cannot run "${tool}": install it with "apt-get install libguestfs-tools linux-image-amd64"; images have it when they are built on a machine that has it: docs/images.md`,
  )
}

function explain(lastLines: string): string {
  const lines = lastLines.trim()
  if (lines === '') return 'it printed nothing'
  // libguestfs keeps the messages of its QEMU, such as one about a lock, to itself.
  const isLaunch = /guestfs_launch failed|[Ff]ailed to get/.test(lines)
  const hint = isLaunch ? 'a guest or another run may use the disk, which verbose=true tells; ' : ''
  return `${hint}its last lines are\n${lines}`
}
