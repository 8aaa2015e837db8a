// SPDX-License-Identifier: Apache-2.0

import java.io.FileInputStream;

/** The deeds of bare.py in Java. */
class Manners {
	public static void main(String[] words) throws Exception {
		String pid = Long.toString(ProcessHandle.current().pid());

		for (int i = 0; i < words.length; i++) {
			switch (words[i]) {
			case "here":
				System.out.println(pid);
				break;
			case "wait":
				try (FileInputStream leash = new FileInputStream("/proc/self/fd/5")) {
					leash.read();
				}
				break;
			case "say":
				System.out.print("out\n\1\n");
				System.out.flush();
				System.err.println("err");
				break;
			case "exit":
				System.exit(Integer.parseInt(words[i + 1]));
				break;
			case "die":
				new ProcessBuilder("kill", "-" + words[i + 1], pid).start().waitFor();
				Thread.sleep(1000);
				break;
			default:
				break;
			}
		}
	}
}
