# Reads the vectors that the tests of the server read, too. KID_VECTORS is their folder.
def vectors(name)
  lines = File.readlines("#{ENV.fetch('KID_VECTORS')}/#{name}.tsv", chomp: true, encoding: 'UTF-8')
  names, *rows = lines.reject { |line| line.start_with?('#') }.map { |line| line.split("\t", -1) }
  rows.map { |row| names.zip(row).to_h }
end
