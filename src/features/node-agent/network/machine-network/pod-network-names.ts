import { join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { replaceWatchedFile } from '#runtime/network/network-namespace.ts'
import { readIfThere } from '#runtime/process/replace-file.ts'
import type { AttachedCard } from './card-files.ts'
import { restartServer } from './dhcp-servers.ts'

/** A card on the pod network, which has an address. */
type PodCard = AttachedCard & { readonly address: string }

/** Has DHCP answer a guest, and DNS give its name. Idempotent. */
export async function announce(
  directory: string,
  { mac, address }: PodCard,
  vmi: VirtualMachineInstance,
  options: readonly string[],
): Promise<void> {
  const { name = '', namespace = '' } = vmi.metadata
  const optionFolder = join(directory, 'options')
  const file = join(directory, 'dhcp', address)
  const before = await readIfThere(file)
  const tag = `card-${address}`
  const optionLines = options.map((option) => `tag:${tag},${option}\n`).join('')
  const ownOptions = join(optionFolder, tag)
  const optionsBefore = (await readIfThere(ownOptions)) ?? ''
  const entry = `${mac},set:${namespace},set:${tag},${address},${vmi.spec.hostname ?? name},infinite\n`
  if (before === entry && optionsBefore === optionLines) return
  if (optionsBefore !== optionLines) await replaceWatchedFile(ownOptions, optionLines)
  await replaceWatchedFile(join(directory, 'hosts', address), `${address} ${name}.${namespace}.vm\n`)
  await replaceWatchedFile(join(optionFolder, namespace), `tag:${namespace},option:domain-search,${searchList(namespace)}\n`)
  await replaceWatchedFile(file, entry)
  // dnsmasq reads new files by itself. For a changed one, its lease to the former MAC address
  // must end, too.
  if (before !== undefined) await restartServer(join(directory, 'dns.pid'))
}

function searchList(namespace: string): string {
  return `${namespace}.svc.cluster.local,svc.cluster.local,cluster.local`
}
