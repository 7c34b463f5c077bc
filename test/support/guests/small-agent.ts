import type { TestMachine } from '../machine.ts'

/**
 * A program that answers some commands as qemu-ga does. The real one would double the guest's
 * size.
 */
const agent = `echo $$ >/agent.pid
exec 3<>$(echo /dev/vport*p1)
while read -r line <&3 || sleep 1; do
  case $line in
    *guest-ssh-add-authorized-keys*) echo "$line" >>/credentials; echo '{"return":{}}' >&3 ;;
    *guest-set-user-password*) echo "$line" >>/credentials; echo '{"return":{}}' >&3 ;;
    *guest-exec-status*) echo '{"return":{"exited":true,"exitcode":0}}' >&3 ;;
    *guest-exec*) echo '{"return":{"pid":7}}' >&3 ;;
    *guest-sync-delimited*) id=\${line##*\\"id\\":}; printf '\\377{"return":%s}\\n' "\${id%%\\}*}" >&3 ;;
    *guest-info*) echo '{"return":{"version":"9.9","supported_commands":[{"name":"guest-get-host-name","enabled":true}]}}' >&3 ;;
    *guest-get-osinfo*) echo '{"return":{"name":"Tiny"}}' >&3 ;;
    *guest-get-host-name*) echo '{"return":{"host-name":"from-the-guest"}}' >&3 ;;
    *guest-fsfreeze-status*) echo '{"return":"thawed"}' >&3 ;;
    *guest-fsfreeze-*) echo '{"return":1}' >&3 ;;
    *guest-get-users*) echo '{"return":[{"user":"root"}]}' >&3 ;;
    *) if [ -e /answers ] && grep -q "$(echo "$line" | sed 's/.*execute":"//; s/".*//') " /answers
      then grep "$(echo "$line" | sed 's/.*execute":"//; s/".*//') " /answers | sed 's/^[^ ]* //' >&3
      else echo '{"error":{"class":"CommandNotFound","desc":"not here"}}' >&3
      fi ;;
  esac
done
`

/**
 * Starts the program in a guest, and returns when it runs there. `answers`: those to more commands,
 * by their names.
 */
export async function startSmallAgent(
  machine: Pick<TestMachine, 'inGuest'>,
  name: string,
  answers: Readonly<Record<string, object>> = {},
): Promise<void> {
  const lines = Object.entries(answers).map(([command, answer]) => `${command} ${JSON.stringify({ return: answer })}\n`)
  // The guest's shell takes lines of 1,024 characters.
  for (const [path, text] of [
    ['/agent', agent],
    ['/answers', lines.join('')],
  ] as const)
    for (const part of text.match(/[^]{1,400}/g) ?? [])
      await machine.inGuest(`echo ${Buffer.from(part).toString('base64')} | base64 -d >>${path}`, name)
  await machine.inGuest('sh /agent </dev/null >/dev/null 2>&1 &', name)
}
