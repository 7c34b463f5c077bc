import { buildCommand, buildRouteMap, type RouteMap } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { clusterFlags, namespace, output } from './cluster-flags.ts'
import { diskFlags } from './disk-image.ts'

const text = (brief: string, placeholder: string) => ({ kind: 'parsed', parse: String, optional: true, brief, placeholder }) as const

const create = buildCommand({
  loader: async () => (await import('../commands/vm/create.ts')).create,
  parameters: {
    positional: { kind: 'tuple', parameters: [{ parse: String, brief: 'Name of the VM', placeholder: 'name' }] },
    flags: {
      image: {
        kind: 'parsed',
        parse: String,
        brief: 'DataSource as NAME or NAMESPACE/NAME, https://…, docker://…, or a file such as ./disk.qcow2',
        placeholder: 'image',
      },
      type: text('Instance type: NAME or KIND/NAME (default: that of the image)', 'type'),
      preference: text('Preference: NAME or KIND/NAME (default: that of the image)', 'preference'),
      memory: text('Memory of a VM without an instance type', 'quantity'),
      sshKey: text('File of an SSH public key, which cloud-init puts into the guest', 'file'),
      user: text('User that cloud-init makes or changes (default: that of the image)', 'name'),
      ...diskFlags,
      dryRun: { kind: 'boolean', default: false, brief: 'Validate the VM on the server, print it, and create nothing' },
      namespace,
      output: { ...output, brief: 'text, wide or name; yaml or json print the VM, and create nothing' },
      ...clusterFlags,
    },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: {
    brief: 'Create a VM from a disk image, and start it',
    fullDescription: `Create a VM whose disk is made from an image, and wait until its guest runs.

  steadyvm vm create web --image fedora --ssh-key ~/.ssh/id_ed25519.pub
  steadyvm vm create web --image docker://quay.io/containerdisks/fedora:latest --type u1.small --preference fedora --size 10Gi
  steadyvm vm create web --image ./disk.qcow2 --type u1.small -o yaml

Without --type and --preference, the hardware is what the labels of a DataSource name.`,
  },
})

/** `steadyvm vm`. */
export const vmRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { create },
  docs: { brief: 'Create a VM from a disk image' },
})
