--[[
Enlarges pictures by superres when darktable exports them: "enlarge by superres" is a target storage of the module
export. darktable develops and writes a picture as it would anyway, and superres makes NAME_2x.EXT of it, beside the
picture or in a folder of your choice. Results that are there already are left alone, and said so.

Install: copy this file into ~/.config/darktable/lua and write require "superres" into ~/.config/darktable/luarc.
superres must be on the path; the preference "superres program" of the Lua options says where it is otherwise.
]]
local dt = require "darktable"

local STORAGE = "superres"
local SCALES, EFFORTS = { 2, 3, 4 }, { "fast", "best", "max" }
local READ = { png = true, jpg = true, jpeg = true, tif = true, tiff = true, webp = true }

-- quote returns an argument as the shell takes it.
local function quote(argument)
  if dt.configuration.running_os == "windows" then
    return '"' .. argument .. '"'
  end
  return "'" .. argument:gsub("'", "'\\''") .. "'"
end

-- execute runs a command and returns whether it succeeded. darktable goes on meanwhile, where it can.
local function execute(command)
  if dt.configuration.running_os == "windows" then
    return os.execute('"' .. command .. '"') == true -- cmd takes the outer quotes away
  end
  return dt.control.execute(command) == 0
end

-- trimmed returns what a file says, without line ends around it, and removes the file.
local function trimmed(name)
  local file = io.open(name, "r")
  if not file then
    return ""
  end
  local text = file:read("a")
  file:close()
  os.remove(name)
  return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

local function remembered(name, default)
  local value = dt.preferences.read(STORAGE, name, "integer")
  return value > 0 and value or default
end

local scale = dt.new_widget("combobox") {
  label = "scale", tooltip = "how many times as wide and high", selected = remembered("scale", 1),
  changed_callback = function(self) dt.preferences.write(STORAGE, "scale", "integer", self.selected) end,
  "×2", "×3", "×4",
}
local effort = dt.new_widget("combobox") {
  label = "effort", tooltip = "max is the finest, and takes three times as long as best",
  selected = remembered("effort", 2),
  changed_callback = function(self) dt.preferences.write(STORAGE, "effort", "integer", self.selected) end,
  table.unpack(EFFORTS),
}
local folder = dt.new_widget("file_chooser_button") {
  title = "folder of the results", is_directory = true, tooltip = "by default that of the picture",
  changed_callback = function(self) dt.preferences.write(STORAGE, "folder", "directory", self.value or "") end,
}

-- store enlarges filename, the file that darktable has written of image, and removes it.
local function store(_, image, format, filename, number, total, _, failed)
  local factor = SCALES[scale.selected] or 2
  local to = folder.value
  if not to or to == "" then
    to = image.path
  end
  local name = image.filename:gsub("%.[^.]*$", "")
  if image.duplicate_index > 0 then
    name = string.format("%s_%02d", name, image.duplicate_index)
  end
  local result = string.format("%s/%s_%dx.%s", to, name, factor, format.extension)
  local program = dt.preferences.read(STORAGE, "program", "string")
  local said = filename .. ".txt"
  local command = string.format("%s upscale --quiet --scale %d --effort %s -o %s -- %s 2>%s",
    quote(program ~= "" and program or "superres"), factor, EFFORTS[effort.selected] or "best", quote(result),
    quote(filename), quote(said))
  dt.print(string.format("superres: %d of %d", number, total))
  local done = execute(command)
  local text = trimmed(said)
  os.remove(filename)
  if not done then
    table.insert(failed, image.filename)
    dt.print_error("superres: " .. image.filename .. ": " .. text)
    dt.print(text ~= "" and text or "superres cannot be run; say in the Lua options where the program is")
  end
end

-- finalize says how it went, once all pictures are done.
local function finalize(_, images, failed)
  local count = 0
  for _ in pairs(images) do
    count = count + 1
  end
  if #failed == 0 then
    dt.print(string.format("superres: %d enlarged", count))
  else
    dt.print(string.format("superres: %d not enlarged: %s", #failed, table.concat(failed, ", ")))
  end
end

local function supported(_, format)
  return READ[format.extension:lower()] == true
end

dt.preferences.register(STORAGE, "program", "string", "superres program",
  "the path of superres, where the shell does not find it", "superres")
dt.register_storage(STORAGE, "enlarge by superres", store, finalize, supported, nil,
  dt.new_widget("box") { orientation = "vertical", scale, effort, folder })

-- For the script manager of darktable's own collection of scripts.
return {
  metadata = { name = "superres", purpose = "enlarge exported pictures by superres", author = "the superres authors" },
  destroy = function() dt.destroy_storage(STORAGE) end,
}
